/** A start script run as a new user runs it, with its own ports and folders. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild, type Exit } from '../../scripts/hosts/child';
import { until } from '../../scripts/hosts/condition';
import { freePort } from '../../scripts/hosts/ports';
import { SANDBOX_KEY } from '../../scripts/hosts/sandbox';

export interface Demo {
	sandboxUrl: string;
	hostUrl: string;
	/** All lines of the terminal. */
	lines: () => string[];
	/** The text of the first matching line, without its time. */
	waitForLine: (matches: RegExp) => Promise<RegExpExecArray>;
	/** Presses Ctrl-C. */
	interrupt: () => Promise<Exit>;
}

export interface DemoOptions {
	/** `start` or `start-n8n`. */
	script: string;
	/** The flag for the host's port. */
	portFlag: string;
	data: string;
	sandboxPort?: number;
	hostPort?: number;
}

const root = join(__dirname, '..', '..');
/** The script starts, and at its end stops, several hosts, one after the other. */
const HOSTS_PATIENCE_MS = 300_000;

export async function startDemo({ script, portFlag, data, sandboxPort, hostPort }: DemoOptions): Promise<Demo> {
	const ports = { sandbox: sandboxPort ?? (await freePort()), host: hostPort ?? (await freePort()) };
	const flags = ['--no-build', '--folder', data, '--sandbox-port', String(ports.sandbox), portFlag, String(ports.host)];
	const args = ['--import', 'tsx', join(root, 'scripts', `${script}.ts`), ...flags];
	const child = startChild({ args, cwd: root, env: process.env });
	const lines = (): string[] => child.log().split('\n');
	return {
		sandboxUrl: `http://127.0.0.1:${ports.sandbox}`,
		hostUrl: `http://127.0.0.1:${ports.host}`,
		lines,
		waitForLine: async (matches) =>
			await until(
				() =>
					lines()
						.map((line) => matches.exec(line))
						.find(Boolean),
				{
					...{ what: `a line that matches ${String(matches)}`, timeoutMs: HOSTS_PATIENCE_MS },
					seen: () => lines().slice(-15),
				},
			),
		interrupt: async () => await child.stop('SIGINT', HOSTS_PATIENCE_MS),
	};
}

export async function withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result> {
	const folder = await mkdtemp(join(tmpdir(), 'demo-'));
	return await work(folder).finally(async () => await rm(folder, { recursive: true, force: true, maxRetries: 5 }));
}

/** Requests a route of the service with the demo's own key. */
export async function ask<Data>(sandboxUrl: string, path: string): Promise<Data> {
	const response = await fetch(`${sandboxUrl}/v1/partner${path}`, { headers: { 'X-Api-Key': SANDBOX_KEY } });
	return ((await response.json()) as { data: Data }).data;
}

/** All items of a list, page by page. */
export async function list<Item>(sandboxUrl: string, path: string, name: string): Promise<Item[]> {
	const items: Item[] = [];
	for (;;) {
		const page = await ask<Record<string, Item[]>>(sandboxUrl, `${path}?limit=100&offset=${items.length}`);
		if (page[name]!.length === 0) return items;
		items.push(...page[name]!);
	}
}

/** A decimal text as an integer of hundred-millionths, so that sums are exact. */
export function exact(amount: string): bigint {
	const [whole = '', fraction = ''] = amount.split('.');
	return BigInt(whole + fraction.padEnd(8, '0'));
}
