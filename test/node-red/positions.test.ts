import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore } from '../../packages/node-red/src/positions';

describe('the file of a position', () => {
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'positions-'));
	});
	afterEach(async () => await rm(folder, { recursive: true, force: true }));

	function open(name: string) {
		const warnings: string[] = [];
		return { warnings, store: fileStore(join(folder, name), (problem) => void warnings.push(problem)) };
	}

	it('holds nothing before the first save', async () => {
		const { store, warnings } = open('new.json');
		expect(await store.load()).toBeUndefined();
		await store.save({ at: 1 });
		expect(await store.load()).toEqual({ at: 1 });
		expect(warnings).toEqual([]);
	});

	it('is not taken for missing where the disk cannot read it', async () => {
		await mkdir(join(folder, 'unreadable.json'));
		await expect(open('unreadable.json').store.load()).rejects.toMatchObject({
			code: 'not_available',
			what: 'The stored position cannot be read (EISDIR)',
		});
	});

	it('is reported where its content is damaged', async () => {
		await writeFile(join(folder, 'damaged.json'), '{"at":');
		const { store, warnings } = open('damaged.json');
		expect(await store.load()).toBeUndefined();
		expect(warnings).toEqual(['The stored position cannot be read, so this node starts with new events']);
	});

	it('holds the last of several values that are saved at once', async () => {
		const { store } = open('twice.json');
		const values = ['a long value'.repeat(100_000), 'b', 'a long value'.repeat(50_000), 'the last'];
		await Promise.all(values.map(async (value) => await store.save(value)));
		expect(await store.load()).toBe('the last');
	});
});
