import {
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { limit } from './connection';

/** The effect of a damaged disk, a lost file and a wrong clock on acknowledged data. */

const ORDERS = 12;

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'data-file-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function place(sandbox: Sandbox, key: string): Promise<void> {
	const headers = { 'x-api-key': 'sandbox-key', 'idempotency-key': key, 'content-type': 'application/json' };
	const body = JSON.stringify(limit({ client_order_id: key, quantity: '0.10' }));
	const { status } = await fetch(`${sandbox.baseUrl}/partner/exchange/orders`, { method: 'POST', headers, body });
	expect(status).toBe(201);
}

const keysOf = ({ engine }: Sandbox): unknown[] =>
	[...engine.state.orders.values()].map((order) => order.clientOrderId);

/** The files of a sandbox after a kill, or after a stop. */
async function leave(how: 'killed' | 'stopped'): Promise<string> {
	const [live, left] = [mkdtempSync(join(folder, 'live-')), join(folder, how)];
	const sandbox = await startSandbox({ data: join(live, 'exchange.db'), settings: { orderDelayMs: 0 } });
	for (let index = 0; index < ORDERS; index += 1) await place(sandbox, `order-${index}`);
	if (how === 'killed') cpSync(live, left, { recursive: true });
	await sandbox.close();
	if (how === 'stopped') cpSync(live, left, { recursive: true });
	return left;
}

/** Starts on damaged files; returns the error, `whole`, or how many acknowledged orders are lost. */
async function outcomeOf(files: string): Promise<string> {
	const sandbox = await startSandbox({ data: join(files, 'exchange.db') }).catch((error: Error) => error);
	if (sandbox instanceof Error) return sandbox.message;
	const keys = keysOf(sandbox);
	await sandbox.close();
	return keys.length === ORDERS && new Set(keys).size === ORDERS ? 'whole' : `lost ${ORDERS - keys.length}`;
}

function damaged(from: string, damage: (files: string) => void): string {
	const files = join(folder, 'damaged');
	rmSync(files, { recursive: true, force: true });
	cpSync(from, files, { recursive: true });
	damage(files);
	return files;
}

function flip(file: string, at: number): void {
	const bytes = readFileSync(file);
	bytes[at] = bytes[at]! ^ 0x10;
	writeFileSync(file, bytes);
}

const sizeOf = (file: string): number => readFileSync(file).length;

describe('a data file that was damaged', () => {
	it.each([
		['killed', 'exchange.db-wal', 15],
		['killed', 'exchange.db', 6],
		['killed', 'exchange.db-tip', 6],
		['stopped', 'exchange.db', 24],
	] as const)('reports every flipped bit, when %s, in %s', async (how, name, flips) => {
		const left = await leave(how);
		const size = sizeOf(join(left, name));
		const outcomes: string[] = [];
		for (let index = 0; index < flips; index += 1) {
			const files = damaged(left, () => undefined);
			flip(join(files, name), Math.floor(((index + 0.5) / flips) * size));
			outcomes.push(await outcomeOf(files));
		}
		const silent = outcomes.filter((outcome) => outcome !== 'whole' && !/cannot be used/.test(outcome));
		expect(silent).toEqual([]);
	});

	it('says what to do about a damaged file, and keeps a copy as it was found, also at the second start', async () => {
		const left = await leave('killed');
		const files = damaged(left, (at) => truncateSync(join(at, 'exchange.db-wal'), 120_000));
		const match = readFileSync(join(files, 'exchange.db-wal'));
		const message = await outcomeOf(files);
		expect(message).toMatch(
			/Put back a whole copy .* or move them all away to begin again\. A copy of it is in .*\.damaged/,
		);
		const stored = join(files, 'exchange.db.damaged');
		expect(readdirSync(stored).sort()).toEqual(['exchange.db', 'exchange.db-tip', 'exchange.db-wal']);
		expect(readFileSync(join(stored, 'exchange.db-wal')).equals(match)).toBe(true);
		expect(await outcomeOf(files)).toBe(message);
	});

	it('refuses an emptied data file, and starts anew when the file was removed', async () => {
		const left = await leave('stopped');
		expect(await outcomeOf(damaged(left, (at) => writeFileSync(join(at, 'exchange.db'), '')))).toMatch(/damaged/);
		const away = damaged(left, (at) => rmSync(join(at, 'exchange.db')));
		expect(await outcomeOf(away)).toBe(`lost ${ORDERS}`);
		expect(existsSync(join(away, 'exchange.db.damaged'))).toBe(false);
	});

	it('needs the counter file after a kill, and not after a stop', async () => {
		const without = (left: string) => damaged(left, (at) => rmSync(join(at, 'exchange.db-tip')));
		expect(await outcomeOf(without(await leave('killed')))).toMatch(/ends in -tip is missing/);
		expect(await outcomeOf(without(await leave('stopped')))).toBe('whole');
	});
});

describe('a data file', () => {
	it('continues from the stored time when the clock is behind it, and says so', async () => {
		const data = join(folder, 'exchange.db');
		const ahead = await startSandbox({ data, clock: 'virtual' });
		ahead.advance(Date.now() - ahead.engine.state.now + 3_600_000);
		await place(ahead, 'later');
		const reached = ahead.engine.state.now;
		await ahead.close();
		const notes: string[] = [];
		const behind = await startSandbox({
			data,
			onStorageWarning: (note) => notes.push(note),
			settings: { orderDelayMs: 0 },
		});
		expect(notes).toEqual([
			expect.stringMatching(/clock of this machine is behind the data file.*goes on from that time/),
		]);
		await place(behind, 'next');
		const [, next] = [...behind.engine.state.orders.values()];
		expect(next!.createdAt).toBeGreaterThanOrEqual(reached);
		await behind.close();
	});
});

describe('the files of an exchange', () => {
	it.each([
		['exchange.db', 'data'],
		['exchange.db-tip', 'data'],
		['exchange.db-tip', 'busy-eIo-locked'],
	])('writes nothing through a symbolic link at %s, in a folder of any name: %s', async (name, within) => {
		const [place, target] = [join(folder, within), join(folder, 'of-somebody-else')];
		mkdirSync(place);
		writeFileSync(target, '', { mode: 0o644 });
		symlinkSync(target, join(place, name));
		const data = join(place, 'exchange.db');
		await expect(startSandbox({ data })).rejects.toThrow(/symbolic link\. Name the file/);
		expect(readFileSync(target, 'utf8')).toBe('');
		expect(statSync(target).mode & 0o777).toBe(0o644);
	});

	it('a folder that is named in place of a file stays open to whom it was open', async () => {
		const data = join(folder, 'a-folder');
		mkdirSync(data, { mode: 0o755 });
		await expect(startSandbox({ data })).rejects.toThrow(/is no file\. Name a file/);
		expect(statSync(data).mode & 0o777).toBe(0o755);
	});
});
