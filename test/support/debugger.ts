/** `npm run dev` under a debugger: a copy of the repository, breakpoints, and the position of a source in a bundle. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { startChild, type Child } from '../../scripts/hosts/child';
import { freePort } from '../../scripts/hosts/ports';
import { until } from './condition';

const root = join(__dirname, '..', '..');
const PATIENCE_MS = 300_000;

/** A copy, because the test edits and builds it, which must not affect what other tests load. */
export function checkout(): string {
	const folder = mkdtempSync(join(tmpdir(), 'dev-'));
	const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
	for (const file of files.toString().trim().split('\n'))
		cpSync(join(root, file), join(folder, file), { recursive: true });
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
	return folder;
}

export interface Dev {
	child: Child;
	inspectPort: number;
	/** Waits until a pattern occurs in the output this many times. */
	shows: (pattern: RegExp, times: number) => Promise<unknown>;
}

/** `npm run dev` in a checkout, on its own ports. */
export async function startDev(folder: string, flags: string[] = []): Promise<Dev> {
	const [inspectPort, sandboxPort, hostPort] = [await freePort(), await freePort(), await freePort()];
	const child = startChild({
		args: [
			...['--import', 'tsx', join(folder, 'scripts', 'dev.ts'), '--inspect', String(inspectPort), ...flags],
			...['--sandbox-port', String(sandboxPort), '--host-port', String(hostPort)],
		],
		cwd: folder,
		env: process.env,
	});
	const shows: Dev['shows'] = async (pattern, times) =>
		await until(() => (child.log().match(pattern) ?? []).length >= times || child.exit(), {
			...{ what: `${String(pattern)} ${times} times`, timeoutMs: PATIENCE_MS, seen: () => child.log().slice(-2_000) },
		});
	return { child, inspectPort, shows };
}

interface Said {
	method?: string;
	params: { url: string; hitBreakpoints: string[]; callFrames: { functionName: string }[] };
}

/**
 * Sets a breakpoint as a debugger does, waits for the process to stop there, resumes it, and returns the function it
 * was in.
 */
export async function breakAt(port: number, bundle: string, lineNumber: number): Promise<string | undefined> {
	const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
		webSocketDebuggerUrl: string;
	}[];
	const socket = new WebSocket(target!.webSocketDebuggerUrl);
	const said: Said[] = [];
	socket.on('message', (text: Buffer) => said.push(JSON.parse(text.toString()) as Said));
	await new Promise((resolve) => socket.once('open', resolve));
	let sent = 0;
	const send = (method: string, params = {}) => socket.send(JSON.stringify({ id: (sent += 1), method, params }));
	const heard = async (matches: (message: Said) => boolean, what: string) =>
		await until(() => said.find(matches), { what, timeoutMs: PATIENCE_MS });
	send('Debugger.enable');
	await heard(({ params }) => params?.url?.endsWith(bundle) ?? false, `the script ${bundle}`);
	send('Debugger.setBreakpointByUrl', { urlRegex: `${bundle.replaceAll('.', '\\.')}$`, lineNumber, columnNumber: 0 });
	const { params } = await heard(({ method }) => method === 'Debugger.paused', 'the breakpoint');
	send('Debugger.disable');
	socket.close();
	return params.hitBreakpoints.length === 1 ? params.callFrames[0]?.functionName : undefined;
}

/** The line of a bundle that its source map assigns to the first async function of a source. */
export function lineOf(bundle: string, source: string): number {
	const starts = readFileSync(source, 'utf8')
		.split('\n')
		.findIndex((line) => line.startsWith('async function '));
	const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')) as SourceMapPayload);
	return readFileSync(bundle, 'utf8')
		.split('\n')
		.findIndex((_, line) => {
			const entry = map.findEntry(line, 0) as { originalSource?: string; originalLine?: number };
			return entry.originalSource === source && entry.originalLine === starts;
		});
}
