import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import WebSocket from 'ws';
import { startChild } from '../../scripts/hosts/child';
import { freePort } from '../../scripts/hosts/ports';
import { until } from '../support/condition';

const root = join(__dirname, '..', '..');
const INSTALLED = '.sandbox/node-red/node_modules/@partner-exchange/node-red/dist/partner-exchange.js';

/** A copy, because what is changed and built here must not be what other tests load. */
function checkout(): string {
	const folder = mkdtempSync(join(tmpdir(), 'dev-'));
	const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
	for (const file of files.toString().trim().split('\n'))
		cpSync(join(root, file), join(folder, file), { recursive: true });
	symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
	return folder;
}

interface Said {
	method?: string;
	params: { url: string; scriptId: string; hitBreakpoints: string[] };
}

/** Speaks to a process as a debugger does. */
async function attach(port: number) {
	const [target] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
		webSocketDebuggerUrl: string;
	}[];
	const socket = new WebSocket(target!.webSocketDebuggerUrl);
	const said: Said[] = [];
	socket.on('message', (text: Buffer) => said.push(JSON.parse(text.toString()) as Said));
	await new Promise((resolve) => socket.once('open', resolve));
	const send = (method: string, params = {}) => socket.send(JSON.stringify({ id: said.length, method, params }));
	const waitFor = async (matches: (message: Said) => boolean, what: string) =>
		await until(() => said.find(matches), { what });
	return { send, waitFor, close: () => socket.close() };
}

/** The line of a bundle that its map leads back to the first async function of a source. */
function lineOf(bundle: string, source: string): number {
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

describe('npm run dev', () => {
	it('stops at a breakpoint in a source, and builds and starts again when a source changes', async () => {
		const folder = checkout();
		const [inspect, sandboxPort, hostPort] = [await freePort(), await freePort(), await freePort()];
		const dev = startChild({
			args: [
				...['--import', 'tsx', join(folder, 'scripts', 'dev.ts'), '--inspect', String(inspect)],
				...['--sandbox-port', String(sandboxPort), '--host-port', String(hostPort)],
			],
			cwd: folder,
			env: process.env,
		});
		try {
			const shows = async (pattern: RegExp, times: number) =>
				await until(() => (dev.log().match(pattern) ?? []).length >= times || dev.exit(), {
					...{ what: `${String(pattern)} ${times} times`, timeoutMs: 300_000, seen: () => dev.log().slice(-2_000) },
				});
			await shows(/Node-RED +http:\S+ /g, 1);

			const installed = join(folder, INSTALLED);
			// What a message that comes in runs through first.
			const lineNumber = lineOf(installed, join(folder, 'packages/node-red/src/action.ts'));
			expect(lineNumber).toBeGreaterThan(0);
			const inspector = await attach(inspect);
			inspector.send('Debugger.enable');
			await inspector.waitFor(({ params }) => params?.url?.includes('partner-exchange.js') ?? false, 'the bundle');
			inspector.send('Debugger.setBreakpointByUrl', {
				...{ urlRegex: 'partner-exchange\\.js$', lineNumber: lineNumber + 1, columnNumber: 0 },
			});
			// The demo places an order every few seconds.
			const stopped = await inspector.waitFor(({ method }) => method === 'Debugger.paused', 'the breakpoint');
			expect(stopped.params.hitBreakpoints).toHaveLength(1);
			inspector.send('Debugger.disable');
			inspector.close();

			const words = join(folder, 'packages/core/src/catalogue/orders.ts');
			const text = readFileSync(words, 'utf8');
			const [, label] = /label: '([^']+)'/.exec(text)!;
			writeFileSync(words, text.replace(`'${label}'`, "'Changed by a developer'"));
			await shows(/packages\/core\/src\/catalogue\/orders\.ts changed\./g, 1);
			await shows(/Node-RED +http:\S+ /g, 2);
			expect(readFileSync(installed, 'utf8')).toContain('Changed by a developer');
		} finally {
			await dev.stop('SIGINT', 300_000);
			await rm(folder, { recursive: true, force: true });
		}
		expect(dev.exit()).toEqual({ code: 0, signal: null });
	});
});
