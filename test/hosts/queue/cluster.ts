/**
 * n8n in queue mode next to a sandbox in this process: main, workers, Redis and PostgreSQL, each of which can be
 * killed.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxOptions } from '@partner-exchange/sandbox';
import type { Child } from '../../../scripts/hosts/child';
import { installN8n } from '../../../scripts/hosts/n8n-install';
import { startWorker } from '../../../scripts/hosts/n8n-worker';
import { startQueue, type QueueServices } from '../../../scripts/hosts/queue';
import { startRedis } from '../../../scripts/hosts/redis';
import { startN8n, type TestN8n } from '../../support/n8n';
import { tarballOf } from '../../support/tarball';
import { openBench, type Bench } from '../n8n/bench';

export interface Cluster extends Bench {
	workers: Child[];
	addWorker: () => Promise<Child>;
	stopRedis: () => Promise<void>;
	/** Starts Redis again, with no data. */
	startEmptyRedis: () => Promise<void>;
	/** Starts a second main on the same database and queue, as a failed hand-over would leave it. */
	addMain: () => Promise<TestN8n>;
}

const root = join(__dirname, '..', '..', '..');

/** Bull detects a dead worker when its lock expires; the default of a minute would only add waiting. */
const QUICK_LOCKS = {
	QUEUE_WORKER_LOCK_DURATION: '4000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '1500',
	QUEUE_WORKER_STALLED_INTERVAL: '2000',
};

export async function openCluster(options: SandboxOptions): Promise<Cluster> {
	const folder = await mkdtemp(join(tmpdir(), 'queue-'));
	// PostgreSQL may run as another user, who needs access to the folder.
	await chmod(folder, 0o711);
	const ends: Array<() => Promise<unknown>> = [async () => await rm(folder, { recursive: true, force: true })];
	const close = async (): Promise<void> => {
		for (const end of ends.splice(0).reverse()) await end();
	};
	try {
		const services = await startQueue({
			folder,
			appendOnly: false,
			// For PostgreSQL SIGINT means an immediate shutdown, and Redis has nothing to save.
			own: (_name, child) => ends.push(async () => await child.stop('SIGINT')),
		});
		const env = { ...services.env, ...QUICK_LOCKS };
		const bench = await openBench(options, { env });
		ends.push(bench.close);
		const workers: Child[] = [];
		const { program } = await installN8n(() => undefined);
		const tarball = await tarballOf(root);
		let numbered = 0;
		const addWorker = async (): Promise<Child> => {
			const userFolder = join(folder, `worker-${(numbered += 1)}`);
			const own = (worker: Child): void => void ends.push(async () => await worker.stop('SIGKILL'));
			const worker = await startWorker({ program, userFolder, packages: [tarball], env, own });
			workers.push(worker);
			return worker;
		};
		await addWorker();
		return {
			...bench,
			workers,
			addWorker,
			...redisOf(services, folder, ends),
			addMain: async () => {
				const main = await startN8n({ packages: [root], env });
				ends.push(main.stop);
				return main;
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

function redisOf(
	{ redis, redisPort }: QueueServices,
	folder: string,
	ends: Array<() => Promise<unknown>>,
): Pick<Cluster, 'stopRedis' | 'startEmptyRedis'> {
	return {
		stopRedis: async () => void (await redis.stop('SIGKILL')),
		startEmptyRedis: async () => {
			const again = await startRedis({ folder: join(folder, 'redis'), port: redisPort, appendOnly: false });
			ends.push(async () => await again.stop('SIGKILL'));
		},
	};
}
