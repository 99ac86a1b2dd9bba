/** A real Node-RED for tests: temporary folder, our package installed from its tarball, all activity recorded. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../scripts/hosts/condition';
import * as host from '../../scripts/hosts/node-red';
import { freePort } from '../../scripts/hosts/ports';
import type { Child, Exit } from '../../scripts/hosts/child';
import { tarballOf } from './tarball';

export type { DeployType, FlowNode } from '../../scripts/hosts/node-red';

export interface TestOptions {
	/** Folders, which are packed as for publishing, or tarballs. */
	packages?: string[];
	settings?: Record<string, unknown>;
	env?: NodeJS.ProcessEnv;
}

/** One message on one wire. */
export interface Wire {
	from: string;
	port: number;
	to: string;
	at: number;
	message: { payload?: unknown; topic?: unknown; error?: unknown; [property: string]: unknown };
}

/** One call of `done`, with its error if any. */
export interface Completion {
	node: string;
	/** The message property by which a test recognises its own messages. */
	mark?: unknown;
	error?: { message: string; code?: string };
}

interface Status {
	node: string;
	fill?: string;
	shape?: string;
	text?: string;
}

export interface TestNodeRed {
	url: string;
	userDir: string;
	messages: Wire[];
	completions: Completion[];
	/** Every status of every node, in order. */
	statuses: Status[];
	log: () => string;
	api: host.NodeRedHost['api'];
	deploy: host.NodeRedHost['deploy'];
	/** Sends a message to any node, as a wire would. */
	send: (nodeId: string, message: Record<string, unknown>) => Promise<void>;
	waitForMessage: (matches: (wire: Wire) => boolean) => Promise<Wire>;
	waitForCompletion: (nodeId: string) => Promise<Completion>;
	/** Waits until a node's current status matches. */
	waitForStatus: (nodeId: string, matches: RegExp | ((status: Status) => boolean)) => Promise<Status>;
	/** Clears what was recorded so far. */
	forget: () => void;
	/** A context value; `scope` is `global`, `flow/<id>` or `node/<id>`. */
	context: (scope: string, key: string, store?: string) => Promise<{ msg: string; format: string }>;
	/** What the editor receives of a node's credentials. */
	credentials: (type: string, nodeId: string) => Promise<Record<string, unknown>>;
	/** Ends the process with SIGTERM, or another signal, and starts it again in the same folder. */
	restart: (signal?: NodeJS.Signals) => Promise<void>;
	/** Ends the process at once, without closing any node; with SIGTERM its nodes are closed first. */
	kill: (signal?: NodeJS.Signals) => Promise<Exit>;
	stop: () => Promise<void>;
}

export async function startNodeRed(options: TestOptions = {}): Promise<TestNodeRed> {
	const userDir = await mkdtemp(join(tmpdir(), 'node-red-'));
	const settings = { nodesDir: [join(__dirname, 'node-red-tap')], ...options.settings };
	const common = { userDir, port: await freePort(), settings, env: { ...options.env } };
	const tarballs = await Promise.all((options.packages ?? []).map(tarballOf));
	const observed = { messages: [] as Wire[], completions: [] as Completion[], statuses: [] as Status[] };
	let child: Child | undefined;
	const own = (started: Child): void => {
		child = started;
		// The statuses of a stopped process's nodes do not apply to the next one.
		observed.statuses.length = 0;
		observe(started, observed, () => child === started);
	};
	const boot = async (packages: string[]): Promise<host.NodeRedHost> =>
		await host.startNodeRed({ ...common, packages, own });
	let running = await boot(tarballs).catch(async (error) => {
		await child?.stop('SIGKILL');
		await rm(userDir, { recursive: true, force: true });
		throw error;
	});
	const api: host.NodeRedHost['api'] = async (path, request) => await running.api(path, request);
	return {
		...{ url: running.url, userDir, api, ...observed, ...waiting(observed, () => running.child.log()) },
		log: () => running.child.log(),
		deploy: async (flows, type) => await running.deploy(flows, type),
		send: async (id, message) =>
			await api(`/inject/${id}`, { method: 'POST', body: { ...message, __user_inject_props__: true } }),
		forget: () => Object.values(observed).forEach((list) => list.splice(0)),
		context: async (scope, key, store) => await api(`/context/${scope}/${key}${store ? `?store=${store}` : ''}`),
		credentials: async (type, id) => await api(`/credentials/${type}/${id}`),
		restart: async (signal = 'SIGTERM') => {
			await running.child.stop(signal);
			running = await boot([]);
		},
		kill: async (signal = 'SIGKILL') => await running.child.stop(signal),
		stop: async () => {
			await running.child.stop();
			await rm(userDir, { recursive: true, force: true, maxRetries: 3 });
		},
	};
}

interface Observed {
	messages: Wire[];
	completions: Completion[];
	statuses: Status[];
}

function observe(child: Child, { messages, completions, statuses }: Observed, isPresent: () => boolean): void {
	const lists: Record<string, unknown[]> = { message: messages, completion: completions, status: statuses };
	child.process.on('message', ({ kind, ...report }: { kind: string }) => {
		if (kind !== 'status' || isPresent()) lists[kind]?.push(report);
	});
}

function waiting(
	{ messages, completions, statuses }: Observed,
	log: () => string,
): Pick<TestNodeRed, 'waitForMessage' | 'waitForCompletion' | 'waitForStatus'> {
	const seen = (list: unknown[]) => (): unknown => ({ last: list.slice(-3), log: log().slice(-1500) });
	return {
		waitForMessage: async (matches) =>
			await until(() => messages.find(matches), {
				what: `a message (${String(matches)})`,
				seen: seen(messages),
			}),
		waitForCompletion: async (nodeId) =>
			await until(() => completions.find(({ node }) => node === nodeId), {
				...{ what: `node "${nodeId}" to complete`, seen: seen(completions) },
			}),
		waitForStatus: async (nodeId, matches) => {
			const fits = matches instanceof RegExp ? ({ text }: Status) => matches.test(text ?? '') : matches;
			const current = (): Status | undefined => statuses.findLast(({ node }) => node === nodeId);
			const what = `the status of node "${nodeId}" (${String(matches)})`;
			return await until(() => [current()].find((status) => status && fits(status)), {
				...{ what, seen: seen(statuses) },
			});
		},
	};
}
