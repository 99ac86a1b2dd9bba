/** A real n8n for tests: its own folder, our package installed as a community package, executions to read. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../scripts/hosts/condition';
import { finishedExecutions, readExecution, type Execution, type ExecutionRow } from '../../scripts/hosts/executions';
import * as host from '../../scripts/hosts/n8n';
import { installN8n } from '../../scripts/hosts/n8n-install';
import { freePort } from '../../scripts/hosts/ports';
import type { Child, Exit } from '../../scripts/hosts/child';
import { usedFolder } from './n8n-setup';
import { tarballOf } from './tarball';

export type { Execution } from '../../scripts/hosts/executions';
export type { WorkflowText } from '../../scripts/hosts/n8n';

export interface TestOptions {
	/** Folders, which are packed as for publishing, or tarballs. */
	packages?: string[];
	env?: NodeJS.ProcessEnv;
	/** Whether n8n serves its editor, which takes a third of the work of a start. */
	editor?: boolean;
}

export interface TestN8n extends Pick<host.N8nHost, 'api' | 'saveCredential' | 'saveWorkflow' | 'publish'> {
	url: () => string;
	userFolder: string;
	log: () => string;
	unpublish: (workflowId: string) => Promise<void>;
	/** Saves a credential and tests it, as the editor does. */
	testCredential: (credential: {
		name: string;
		type: string;
		data: object;
	}) => Promise<{ status: string; message: string }>;
	/** Runs a workflow once from a trigger node, as the editor's button does. */
	runManually: (workflowId: string, triggerName: string) => Promise<Execution>;
	/** Waits for this many finished executions of a workflow, newest first. */
	waitForExecutions: (workflowId: string, count: number) => Promise<Execution[]>;
	/** Retries a failed execution as the Retry button does. */
	retry: (executionId: string) => Promise<Execution>;
	restart: (signal?: NodeJS.Signals) => Promise<void>;
	/** Ends the process, with SIGKILL by default; `restart` starts it again. */
	kill: (signal?: NodeJS.Signals) => Promise<Exit>;
	stop: () => Promise<void>;
}

export async function startN8n(options: TestOptions = {}): Promise<TestN8n> {
	const { program } = await installN8n((line) => process.stderr.write(`${line}\n`));
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-'));
	const used = usedFolder();
	if (used) await cp(used, userFolder, { recursive: true });
	const env = { ...(options.editor ? {} : { N8N_DISABLE_UI: 'true' }), ...options.env };
	const tarballs = await Promise.all((options.packages ?? []).map(tarballOf));
	let child: Child | undefined;
	const own = (started: Child): void => void (child = started);
	const boot = async (packages: string[]): Promise<host.N8nHost> =>
		await host.startN8n({ program, userFolder, port: await freePort(), packages, env, own });
	let running = await boot(tarballs).catch(async (error) => {
		await child?.stop('SIGKILL');
		await rm(userFolder, { recursive: true, force: true });
		throw error;
	});
	const api: host.N8nHost['api'] = async (method, path, body) => await running.api(method, path, body);
	return {
		...{ userFolder, api, ...executionsOf(api) },
		url: () => running.url,
		log: () => running.child.log(),
		saveCredential: async (credential) => await running.saveCredential(credential),
		testCredential: async (credential) => {
			const { id } = await running.saveCredential(credential);
			return await api('POST', '/rest/credentials/test', { credentials: { ...credential, id } });
		},
		saveWorkflow: async (workflow) => await running.saveWorkflow(workflow),
		publish: async (workflowId) => await running.publish(workflowId),
		unpublish: async (workflowId) => await api('POST', `/rest/workflows/${workflowId}/deactivate`, {}),
		restart: async (signal = 'SIGTERM') => {
			await running.child.stop(signal);
			running = await boot([]);
		},
		kill: async (signal = 'SIGKILL') => await running.child.stop(signal),
		stop: async () => {
			await running.child.stop();
			await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

function executionsOf(api: host.N8nHost['api']): Pick<TestN8n, 'runManually' | 'waitForExecutions' | 'retry'> {
	const waitFor = async (workflowId: string, id: string): Promise<Execution> => {
		const isThere = async (): Promise<boolean> =>
			(await finishedExecutions(api, workflowId)).some((row) => row.id === id);
		await until(isThere, { everyMs: 150, what: `execution ${id} to finish` });
		return await readExecution(api, id);
	};
	return {
		runManually: async (workflowId, triggerName) => {
			const workflowData = await api('GET', `/rest/workflows/${workflowId}`);
			const body = { workflowData, triggerToStartFrom: { name: triggerName } };
			const { executionId } = await api<{ executionId: string }>('POST', `/rest/workflows/${workflowId}/run`, body);
			return await waitFor(workflowId, executionId);
		},
		waitForExecutions: async (workflowId, count) => {
			let rows: ExecutionRow[] = [];
			const enough = async (): Promise<boolean> => (rows = await finishedExecutions(api, workflowId)).length >= count;
			const seen = (): unknown => rows.map(({ id, status }) => [id, status]);
			await until(enough, { everyMs: 200, what: `${count} finished executions`, seen });
			return await Promise.all(rows.map(async ({ id }) => await readExecution(api, id)));
		},
		retry: async (executionId) => {
			const row = await api<ExecutionRow>('POST', `/rest/executions/${executionId}/retry`, { loadWorkflow: true });
			return await waitFor(row.workflowId, row.id);
		},
	};
}
