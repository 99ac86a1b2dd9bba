/** A separate Node-RED process: its folder, its settings, and the part of its admin API used here. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inheritedEnvironment, startChild, type Child } from './child';
import { until } from './condition';
import { nodeRedProgram } from './node-red-install';
import { addSourceMaps, unpack, type Debug } from './package';
import { HOST } from './ports';
import { nodeOfNodeRed } from './versions';

export interface NodeRedOptions {
	/** Where Node-RED keeps its flows, credentials and installed packages. */
	userDir: string;
	port: number;
	/** Tarballs to install before the start. */
	packages?: string[];
	settings?: Record<string, unknown>;
	env?: NodeJS.ProcessEnv;
	/** Lets a debugger attach, and maps the installed package to its sources. */
	debug?: Debug;
	onLine?: (line: string) => void;
	/** Called with the process as soon as it exists, so that the caller can stop it if the start fails. */
	own?: (child: Child) => void;
}

export interface NodeRedHost {
	url: string;
	child: Child;
	/** Calls an admin route; throws unless the status is a success. */
	api: <Answer>(
		path: string,
		request?: { method?: string; body?: unknown; headers?: Record<string, string> },
	) => Promise<Answer>;
	/** Deploys the flows and waits until they run. */
	deploy: (flows: FlowNode[], type?: DeployType) => Promise<void>;
}

export interface FlowNode {
	id: string;
	type: string;
	credentials?: Record<string, string>;
	[property: string]: unknown;
}

export type DeployType = 'full' | 'nodes' | 'flows' | 'reload';

const REQUEST_TIMEOUT_MS = 120_000;
const DEBUG_CHARACTERS_MAX = 100_000;
const WAITING = 'Waiting for missing types';
const BOOTED = new RegExp(`Started flows|Stopped flows|${WAITING}`);
const DEPLOYED = new RegExp(`Started (modified )?(flows|nodes)|${WAITING}`);

export async function startNodeRed(options: NodeRedOptions): Promise<NodeRedHost> {
	const { userDir, port, packages = [], env, onLine, debug } = options;
	await mkdir(userDir, { recursive: true });
	for (const tarball of packages) {
		const { name } = await unpack(tarball, userDir);
		if (debug) await addSourceMaps(debug.folder, join(userDir, 'node_modules', name));
	}
	const settings = join(userDir, 'settings.js');
	await writeFile(settings, settingsText(port, options.settings));
	const child = startChild({
		args: [await nodeRedProgram(), '-u', userDir, '-s', settings],
		cwd: userDir,
		node: nodeOfNodeRed(),
		env: { ...inheritedEnvironment(/^(NODE_RED_|NODE_OPTIONS$|PORT$|FLOWS$|DEBUG$)/), ...env },
		...(onLine ? { onLine } : {}),
		...(debug ? { inspectPort: debug.port } : {}),
	});
	options.own?.(child);
	await logs(child, BOOTED);
	const url = `http://${HOST}:${port}`;
	// Flows may be running a moment before the editor is reachable.
	const listens = async (): Promise<boolean> =>
		await fetch(`${url}/settings`).then(
			// An editor that asks for a login is reachable too.
			({ ok, status }) => ok || status === 401,
			() => false,
		);
	await until(listens, {
		what: 'Node-RED to listen',
		seen: () => child.log().slice(-3000),
	});
	return adminOf(url, child);
}

function settingsText(port: number, own: Record<string, unknown> = {}): string {
	const settings = {
		uiHost: HOST,
		uiPort: port,
		flowFile: 'flows.json',
		credentialSecret: 'local-use-only',
		telemetry: { enabled: false, updateNotification: false },
		runtimeState: { enabled: true, ui: false },
		editorTheme: { tours: false, palette: { catalogues: [] } },
		externalModules: { autoInstall: false },
		functionExternalModules: false,
		debugMaxLength: DEBUG_CHARACTERS_MAX,
		...own,
	};
	return `module.exports = ${JSON.stringify(settings, null, '\t')};\n`;
}

function adminOf(url: string, child: Child): NodeRedHost {
	const api: NodeRedHost['api'] = async <Answer>(path: string, request: Parameters<NodeRedHost['api']>[1] = {}) => {
		const response = await fetch(url + path, {
			method: request.method ?? 'GET',
			headers: { accept: 'application/json', 'content-type': 'application/json', ...request.headers },
			signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
			...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`Node-RED answered ${response.status} to ${path}: ${text.slice(0, 400)}`);
		return (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as Answer;
	};
	const deploy = async (flows: FlowNode[], type: DeployType = 'full'): Promise<void> => {
		const from = child.log().length;
		const headers = { 'Node-RED-API-Version': 'v2', 'Node-RED-Deployment-Type': type };
		await api('/flows', { method: 'POST', body: { flows }, headers });
		// Node-RED answers before the nodes have restarted; its log tells when they have.
		await logs(child, DEPLOYED, from);
	};
	return { url, child, api, deploy };
}

async function logs(child: Child, line: RegExp, from = 0): Promise<void> {
	const tail = (): string => child.log().slice(-3000);
	await until(() => line.test(child.log().slice(from)) || child.exit(), {
		what: 'Node-RED to start',
		seen: tail,
	});
	if (child.exit()) throw new Error(`Node-RED ended while starting:\n${tail()}`);
}
