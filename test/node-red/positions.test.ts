import { lstat, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { positionFile } from '../../packages/node-red/src/positions/position-file';

describe('the file of a position', () => {
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'positions-'));
	});
	afterEach(async () => await rm(folder, { recursive: true, force: true }));

	function open(name: string) {
		const warnings: string[] = [];
		return { warnings, store: positionFile(join(folder, name), (problem) => void warnings.push(problem)) };
	}

	it('a position file holds nothing before the first save', async () => {
		const { store, warnings } = open('new.json');
		expect(await store.load()).toBeUndefined();
		await store.save({ at: 1 });
		expect(await store.load()).toEqual({ at: 1 });
		expect(warnings).toEqual([]);
	});

	it('a position file that the disk cannot read does not count as missing', async () => {
		await mkdir(join(folder, 'unreadable.json'));
		await expect(open('unreadable.json').store.load()).rejects.toMatchObject({
			code: 'not_available',
			what: 'The stored position cannot be read (EISDIR)',
		});
	});

	const damages = ['{"at":', '', '\0\0\0\0', '{}', 'null', '[]', '1'];

	it.each(damages)('a position file that is damaged is replaced by the previous generation: %j', async (damage) => {
		for (const at of [1, 2]) await open('one.json').store.save({ at });
		// The first save of a process does not know what it replaces.
		const { store: first } = open('one.json');
		await first.load();
		await first.save({ at: 3 });
		await writeFile(join(folder, 'one.json'), damage);
		const { store, warnings } = open('one.json');
		expect(await store.load()).toEqual({ at: 2 });
		expect(warnings).toHaveLength(1);
		// What is damaged never takes the place of what is sound.
		await store.save({ at: 4 });
		await writeFile(join(folder, 'one.json'), damage);
		expect(await open('one.json').store.load()).toEqual({ at: 2 });
	});

	it.each(damages)('a position file with two damaged generations does not count as missing: %j', async (damage) => {
		for (const ending of ['', '.before']) await writeFile(join(folder, `both.json${ending}`), damage);
		await expect(open('both.json').store.load()).rejects.toMatchObject({ code: 'not_available', field: 'position' });
		await writeFile(join(folder, 'alone.json'), damage);
		await expect(open('alone.json').store.load()).rejects.toMatchObject({ code: 'not_available' });
	});

	it('a position file is read from the previous generation after a crash between the two renames', async () => {
		await writeFile(join(folder, 'between.json.before'), '{"at":1}');
		expect(await open('between.json').store.load()).toEqual({ at: 1 });
	});

	it('a position file is written anew for its owner alone, also where a link lies under its name', async () => {
		await writeFile(join(folder, 'victim'), 'untouched', { mode: 0o644 });
		await symlink(join(folder, 'victim'), join(folder, 'linked.json.new'));
		await open('linked.json').store.save({ at: 1 });
		expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('untouched');
		expect((await lstat(join(folder, 'linked.json'))).mode & 0o777).toBe(0o600);
	});

	it('a position file holds the last of several values that are saved at once', async () => {
		const { store } = open('twice.json');
		const values = ['a long value'.repeat(100_000), 'b', 'a long value'.repeat(50_000), 'the last'].map((at) => ({
			at,
		}));
		await Promise.all(values.map(async (value) => await store.save(value)));
		expect(await store.load()).toEqual({ at: 'the last' });
	});
});
