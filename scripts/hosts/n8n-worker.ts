/** A worker of an n8n in queue mode, which runs the executions that main puts into the queue. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, type Child } from './child';
import { until } from './condition';
import { n8nEnvironment } from './n8n-environment';
import type { N8nOptions } from './n8n';
import { unpack } from './package';
import { freePort, HOST } from './ports';

export interface WorkerOptions extends Omit<N8nOptions, 'port'> {
	/** Most concurrent executions. */
	concurrency?: number;
}

const READY_TIMEOUT_MS = 300_000;
const KNOCK_TIMEOUT_MS = 10_000;
const CONCURRENCY = 10;

/** Installs the packages for each worker, because a worker loads nodes from its own folder, as main does. */
export async function startWorker(options: WorkerOptions): Promise<Child> {
	const { program, userFolder, packages = [], env, onLine, concurrency = CONCURRENCY } = options;
	const nodes = join(userFolder, '.n8n', 'nodes');
	await mkdir(nodes, { recursive: true });
	for (const tarball of packages) await unpack(tarball, nodes);
	const health = await freePort();
	const child = startChild({
		args: [program, 'worker', `--concurrency=${concurrency}`],
		cwd: userFolder,
		env: {
			...n8nEnvironment({ userFolder, port: await freePort(), brokerPort: await freePort() }),
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(health),
			N8N_WORKER_SERVER_ADDRESS: HOST,
			...env,
		},
		...(onLine ? { onLine } : {}),
	});
	options.own?.(child);
	const answers = async (): Promise<boolean> => {
		if (child.exit()) throw new Error(`The worker ended while starting:\n${child.log().slice(-3000)}`);
		const url = `http://${HOST}:${health}/healthz/readiness`;
		const answer = await fetch(url, { signal: AbortSignal.timeout(KNOCK_TIMEOUT_MS) }).catch(() => undefined);
		return answer?.status === 200;
	};
	const seen = (): string => child.log().slice(-3000);
	await until(answers, { timeoutMs: READY_TIMEOUT_MS, everyMs: 100, what: 'the worker to start', seen });
	return child;
}
