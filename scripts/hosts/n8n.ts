/** A separate n8n process: packages installed as community nodes, and the part of its REST API used here. */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startChild, type Child } from './child';
import { until } from './condition';
import { n8nEnvironment } from './n8n-environment';
import { addSourceMaps, unpack, type Debug } from './package';
import { freePort, HOST } from './ports';
import { isN8n1 } from './versions';

export interface N8nOptions {
	/** The n8n script, from `installN8n`. */
	program: string;
	userFolder: string;
	port: number;
	/** Tarballs to install before the start. */
	packages?: string[];
	env?: NodeJS.ProcessEnv;
	/** Lets a debugger attach, and maps the installed package to its sources. */
	debug?: Debug;
	onLine?: (line: string) => void;
	/** Called with the process as soon as it exists, so that the caller can stop it if the start fails. */
	own?: (child: Child) => void;
}

export interface N8nHost {
	url: string;
	child: Child;
	/** Calls a REST route as the signed-in owner, and returns the field `data` of the answer. */
	api: <Answer>(method: string, path: string, body?: unknown) => Promise<Answer>;
	saveCredential: (credential: { name: string; type: string; data: object }) => Promise<{ id: string; name: string }>;
	saveWorkflow: (workflow: WorkflowText) => Promise<{ id: string }>;
	/** Publishes a workflow and waits until its triggers are running. */
	publish: (workflowId: string) => Promise<void>;
}

/** A workflow as n8n exports it. */
export interface WorkflowText {
	name: string;
	nodes: Array<{ name: string; type: string; [property: string]: unknown }>;
	connections?: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

export const OWNER = { email: 'owner@example.com', firstName: 'Local', lastName: 'Owner', password: 'Local-use-0nly' };

/** Switched off in the environment, n8n 2 tries for ever to start a trigger that failed; otherwise for 15 s. */
export const PUBLICATION_SERVICE = 'N8N_USE_WORKFLOW_PUBLICATION_SERVICE';

const READY_TIMEOUT_MS = 300_000;
const REQUEST_TIMEOUT_MS = 120_000;
const KNOCK_TIMEOUT_MS = 10_000;

export async function startN8n(options: N8nOptions): Promise<N8nHost> {
	const { program, userFolder, port, packages = [], env, onLine, debug } = options;
	const nodes = join(userFolder, '.n8n', 'nodes');
	await mkdir(nodes, { recursive: true });
	// The one folder into which n8n 2 lets a node write files, and which it does not make.
	await mkdir(join(userFolder, '.n8n-files'), { recursive: true });
	for (const tarball of packages) {
		const { name } = await unpack(tarball, nodes);
		if (debug) await addSourceMaps(debug.folder, join(nodes, 'node_modules', name));
	}
	const child = startChild({
		args: [program, 'start'],
		cwd: userFolder,
		env: { ...n8nEnvironment({ userFolder, port, brokerPort: await freePort() }), ...env },
		...(onLine ? { onLine } : {}),
		...(debug ? { inspectPort: debug.port } : {}),
	});
	options.own?.(child);
	const url = `http://${HOST}:${port}`;
	await ready(url, child);
	const api = await signIn(url);
	return {
		url,
		child,
		api,
		saveCredential: async (credential) => await api('POST', '/rest/credentials', { ...credential, isGlobal: false }),
		saveWorkflow: async (workflow) => await api('POST', '/rest/workflows', complete(workflow)),
		publish: async (workflowId) => await publish(api, workflowId, isN8n1() || env?.[PUBLICATION_SERVICE] === 'false'),
	};
}

async function ready(url: string, child: Child): Promise<void> {
	const answers = async (): Promise<boolean> => {
		if (child.exit()) throw new Error(`n8n ended while starting:\n${child.log().slice(-3000)}`);
		// n8n mounts its routes a moment after the health check succeeds; then it refuses who has not signed in.
		const answer = await fetch(`${url}/rest/login`, { signal: AbortSignal.timeout(KNOCK_TIMEOUT_MS) }).catch(
			() => undefined,
		);
		return answer?.status === 401 && (answer.headers.get('content-type') ?? '').includes('json');
	};
	const seen = (): string => child.log().slice(-3000);
	await until(answers, { timeoutMs: READY_TIMEOUT_MS, everyMs: 100, what: 'n8n to start', seen });
}

/** Signs in as the owner; creates the owner on the first start of a folder. */
async function signIn(url: string): Promise<N8nHost['api']> {
	let cookie = '';
	const request = async (
		method: string,
		path: string,
		body?: unknown,
	): Promise<{ response: Response; text: string }> => {
		const response = await fetch(url + path, {
			method,
			headers: { 'content-type': 'application/json', 'browser-id': 'partner-exchange', cookie },
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		const session = response.headers.getSetCookie().find((each) => each.startsWith('n8n-auth='));
		if (session) cookie = session.split(';')[0]!;
		return { response, text: await response.text() };
	};
	const { response } = await request('POST', '/rest/owner/setup', OWNER);
	const login = { emailOrLdapLoginId: OWNER.email, password: OWNER.password };
	if (!response.ok) await request('POST', '/rest/login', login);
	return async <Answer>(method: string, path: string, body?: unknown) => {
		const answer = await request(method, path, body);
		if (!answer.response.ok) {
			throw new Error(`n8n answered ${answer.response.status} to ${method} ${path}: ${answer.text.slice(0, 600)}`);
		}
		const json = JSON.parse(answer.text) as { data?: Answer };
		return json.data ?? (json as Answer);
	};
}

function complete({ nodes, ...workflow }: WorkflowText): object {
	const saving = { saveDataSuccessExecution: 'all', saveDataErrorExecution: 'all', saveManualExecutions: true };
	return {
		connections: {},
		...workflow,
		nodes: nodes.map((node) => ({ id: randomUUID(), position: [0, 0], parameters: {}, typeVersion: 1, ...node })),
		settings: { executionOrder: 'v1', ...saving, ...workflow.settings },
		active: false,
	};
}

/**
 * n8n 2 answers before its publication service starts the triggers, so the status is polled; n8n 1, and n8n 2 without
 * that service, start them before they answer.
 */
async function publish(api: N8nHost['api'], workflowId: string, answersStarted: boolean): Promise<void> {
	const { versionId } = await api<{ versionId: string }>('GET', `/rest/workflows/${workflowId}`);
	await api('POST', `/rest/workflows/${workflowId}/activate`, { versionId });
	if (answersStarted) return;
	let last = { status: 'not asked yet' };
	const isPublished = async (): Promise<boolean> => {
		last = await api('GET', `/rest/workflows/${workflowId}/publication-status`);
		return ['published', 'partial', 'failed'].includes(last.status);
	};
	await until(isPublished, { everyMs: 100, what: 'the publication', seen: () => last });
	if (last.status !== 'published') throw new Error(`The workflow was not published: ${JSON.stringify(last)}`);
}
