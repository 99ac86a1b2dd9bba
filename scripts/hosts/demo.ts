/** The part that all start scripts share: flags, free ports, a build, and the sandbox exchange. */
import { join, resolve } from 'node:path';
import { buildIfNeeded } from './build';
import { BUILD, FOLDER, INSPECT, readFlags, SANDBOX_PORT } from './flags';
import { requireFree } from './ports';
import { SANDBOX_PORT_USE, startSandbox, type SandboxHost } from './sandbox';
import type { Session } from './session';
import { tell } from './story';

export const root = join(__dirname, '..', '..');

export interface DemoScript {
	/** The npm command without `npm`, such as `run start:n8n`. */
	command: string;
	purpose: string;
	host: { name: string; portFlag: string; port: string };
	/** The data folder, if not the usual one. */
	data?: string;
	canInspect?: boolean;
	/** Throws if something is missing on this machine; called before the build. */
	require?: () => Promise<void>;
}

export interface Demo {
	/** The folder for all data. */
	data: string;
	/** The port of the host. */
	port: number;
	/** The port for a debugger. */
	inspect: number | undefined;
	startSandbox(session: Session): Promise<SandboxHost>;
}

/** Checks everything before the first process starts; undefined if only help was requested. */
export async function prepareDemo({ command, purpose, host, ...script }: DemoScript): Promise<Demo | undefined> {
	const flags: Record<string, string | boolean | undefined> | undefined = readFlags(command, purpose, {
		[SANDBOX_PORT_USE.flag]: SANDBOX_PORT,
		[host.portFlag]: { type: 'string', default: host.port, value: 'PORT', about: `where ${host.name} listens` },
		folder: { ...FOLDER, default: script.data ?? FOLDER.default },
		...(script.canInspect ? { inspect: INSPECT } : {}),
		build: BUILD,
	});
	if (!flags) return undefined;
	const [sandboxPort, port] = [Number(flags[SANDBOX_PORT_USE.flag]), Number(flags[host.portFlag])];
	await requireFree(`npm ${command}`, [
		{ port: sandboxPort, ...SANDBOX_PORT_USE },
		{ port, purpose: host.name, flag: host.portFlag },
	]);
	await script.require?.();
	if (flags.build) await buildIfNeeded(root);
	const data = resolve(root, String(flags.folder));
	return {
		data,
		port,
		inspect: flags['inspect'] ? Number(flags['inspect']) : undefined,
		startSandbox: ({ own }) => {
			tell(`Starting the sandbox exchange and ${host.name}.`);
			return startSandbox({
				root,
				port: sandboxPort,
				dataFile: join(data, 'exchange.db'),
				command: `npm ${command}`,
				own: (child) => own('The sandbox exchange', child),
			});
		},
	};
}
