import type * as fs from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { IntentEntry } from '@partner-exchange/core';
import { fileJournal } from '@partner-exchange/core/node';
import { newFolder } from '../../support/folder';

/** The journal as each sync of it left it on the disk, which is what a loss of power leaves. */
const mockDisk: { file: string; synced: string[] } = { file: '', synced: [] };

jest.mock('node:fs', () => {
	const real = jest.requireActual<typeof fs>('node:fs');
	const fdatasync = (fd: number, done: (error: Error | null) => void): void => {
		mockDisk.synced.push(real.readFileSync(mockDisk.file, 'utf8'));
		real.fdatasync(fd, done);
	};
	return { ...real, fdatasync };
});

const OWNER = { address: 'http://127.0.0.1/v1', key: 'digest' };

const entry = (key: string): IntentEntry => ({
	...{ key, operation: 'order.create', at: 1_000, account: OWNER },
	fields: { quantity: '10.00', client_order_id: key },
});

describe('a journal whose machine loses its power', () => {
	let folder: string;

	beforeEach(() => {
		folder = newFolder();
		mockDisk.file = join(folder, 'orders.jsonl');
		mockDisk.synced = [];
	});

	/** What the next start finds open. */
	async function leftByPowerLoss(): Promise<string[]> {
		const copy = join(folder, 'left', 'orders.jsonl');
		const journal = fileJournal(copy);
		expect(await journal.open()).toEqual([]);
		await writeFile(copy, mockDisk.synced.at(-1)!);
		return (await fileJournal(copy).open()).map(({ key }) => key);
	}

	it('keeps every order that may have been sent in the journal through a power loss', async () => {
		const journal = fileJournal(mockDisk.file);
		for (const key of ['a', 'b', 'c']) {
			await journal.record(entry(key));
			expect(mockDisk.synced.at(-1)).toContain(`"key":"${key}"`);
		}
		expect(await leftByPowerLoss()).toEqual(['a', 'b', 'c']);
	});

	it('looks up again only what was resolved after the last record before a power loss', async () => {
		const journal = fileJournal(mockDisk.file);
		for (const key of ['a', 'b']) {
			await journal.record(entry(key));
			await journal.close(key, 'accepted', OWNER);
		}
		expect(await leftByPowerLoss()).toEqual(['b']);
	});

	it('syncs the disk once per order', async () => {
		const journal = fileJournal(mockDisk.file);
		await journal.record(entry('a'));
		mockDisk.synced = [];
		await journal.close('a', 'accepted', OWNER);
		await journal.record(entry('b'));
		expect(mockDisk.synced).toHaveLength(1);
	});
});
