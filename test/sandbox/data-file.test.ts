import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../support/folder';
import { limit } from './connection';

/** What becomes of a data file that is damaged, of another version, ahead of the clock or somebody else's. */

let folder: string;
beforeEach(() => (folder = newFolder()));

async function place(sandbox: Sandbox, key: string): Promise<void> {
	const headers = { 'x-api-key': 'sandbox-key', 'idempotency-key': key, 'content-type': 'application/json' };
	const body = JSON.stringify(limit({ client_order_id: key, quantity: '0.10' }));
	const { status } = await fetch(`${sandbox.baseUrl}/partner/exchange/orders`, { method: 'POST', headers, body });
	expect(status).toBe(201);
}

describe('a data file that cannot be read', () => {
	it.each([
		[
			'was overwritten',
			(file: string) => writeFileSync(file, 'not a database, but a text that is longer than its header'),
		],
		['lost its end', (file: string) => truncateSync(file, statSync(file).size / 2)],
	])('is refused, left as it is, and told what to do about where it %s', async (_, damage) => {
		const data = join(folder, 'exchange.db');
		const sandbox = await startSandbox({ data });
		await place(sandbox, 'order');
		await sandbox.close();
		damage(data);
		const found = readFileSync(data);
		for (let start = 0; start < 2; start += 1)
			await expect(startSandbox({ data })).rejects.toThrow(/it is damaged .* Move it away to start afresh/);
		expect(readFileSync(data).equals(found)).toBe(true);
		rmSync(data);
		await (await startSandbox({ data })).close();
	});

	it('is refused where another version wrote it', async () => {
		const data = join(folder, 'exchange.db');
		const database = new DatabaseSync(data);
		database.exec('PRAGMA user_version = 1');
		database.close();
		await expect(startSandbox({ data })).rejects.toThrow(/written by another version of the sandbox. Move it away/);
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
	it.each(['data', 'busy-eIo-locked'])(
		'writes nothing through a symbolic link, in a folder of any name: %s',
		async (within) => {
			const [place, target] = [join(folder, within), join(folder, 'of-somebody-else')];
			mkdirSync(place);
			writeFileSync(target, '', { mode: 0o644 });
			symlinkSync(target, join(place, 'exchange.db'));
			const data = join(place, 'exchange.db');
			await expect(startSandbox({ data })).rejects.toThrow(/symbolic link\. Name the file/);
			expect(readFileSync(target, 'utf8')).toBe('');
			expect(statSync(target).mode & 0o777).toBe(0o644);
		},
	);

	it('a folder that is named in place of a file stays open to whom it was open', async () => {
		const data = join(folder, 'a-folder');
		mkdirSync(data, { mode: 0o755 });
		await expect(startSandbox({ data })).rejects.toThrow(/is no file\. Name a file/);
		expect(statSync(data).mode & 0o777).toBe(0o755);
	});
});
