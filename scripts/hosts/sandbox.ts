/** Runs the built sandbox exchange as a separate process. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startChild, type Child } from './child';
import { until } from './condition';
import { HOST, requireFree } from './ports';

export interface SandboxHost {
	/** Address of its console page. */
	url: string;
	baseUrl: string;
	wsUrl: string;
	child: Child;
}

/** The key of the account that every new sandbox has. */
export const SANDBOX_KEY = 'sandbox-key';
/** The key of the second account. */
export const SECOND_SANDBOX_KEY = 'sandbox-key-second';

/** What the port is for, and the flag of the start scripts that chooses it. */
export const SANDBOX_PORT_USE = { purpose: 'the sandbox exchange', flag: 'sandbox-port' };

const KNOCK_TIMEOUT_MS = 10_000;

export interface SandboxOptions {
	/** Root folder of the repository. */
	root: string;
	port: number;
	/** Without a data file, the exchange is kept in memory. */
	dataFile?: string;
	/** Additional flags of the command. */
	flags?: readonly string[];
	/** Called with the process as soon as it exists, so that the caller can stop it if the start fails. */
	own?: (child: Child) => void;
	/** The start script that runs it; without it, a taken port is reported in the sandbox's words. */
	command?: string;
}

export async function startSandbox(options: SandboxOptions): Promise<SandboxHost> {
	const { root, port, dataFile, flags = [], own, command } = options;
	if (dataFile !== undefined) await mkdir(dirname(dataFile), { recursive: true });
	const program = join(root, 'packages', 'sandbox', 'dist', 'cli.js');
	const dataFlags = dataFile === undefined ? [] : ['--data', dataFile];
	const args = [program, '--host', HOST, '--port', String(port), ...dataFlags, ...flags];
	const child = startChild({ args, cwd: root, env: process.env });
	own?.(child);
	const url = `http://${HOST}:${port}`;
	const answers = async (): Promise<boolean> => {
		if (child.exit()) {
			if (command) await requireFree(command, [{ port, ...SANDBOX_PORT_USE }]);
			throw new Error(`The sandbox ended while starting:\n${child.log().slice(-2000)}`);
		}
		const state = await fetch(`${url}/_sandbox/state`, { signal: AbortSignal.timeout(KNOCK_TIMEOUT_MS) }).catch(
			() => undefined,
		);
		return state?.status === 200;
	};
	await until(answers, {
		what: 'the sandbox to start',
		seen: () => child.log().slice(-2000),
	});
	return { url, baseUrl: `${url}/v1`, wsUrl: `ws://${HOST}:${port}/v1/ws`, child };
}
