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

	const damages = ['{"at":', '', '\0\0\0\0', '{}', 'null', '[]', '1'];

	it.each(damages)('is taken from the generation before where the last is damaged: %j', async (damage) => {
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

	it.each(damages)('is not taken for missing where both generations are damaged: %j', async (damage) => {
		for (const ending of ['', '.before']) await writeFile(join(folder, `both.json${ending}`), damage);
		await expect(open('both.json').store.load()).rejects.toMatchObject({ code: 'not_available', field: 'position' });
		await writeFile(join(folder, 'alone.json'), damage);
		await expect(open('alone.json').store.load()).rejects.toMatchObject({ code: 'not_available' });
	});

	it('is taken from the generation before where a crash came between the two renames', async () => {
		await writeFile(join(folder, 'between.json.before'), '{"at":1}');
		expect(await open('between.json').store.load()).toEqual({ at: 1 });
	});

	it('is written to a new file of its owner alone, also where a link lies under that name', async () => {
		await writeFile(join(folder, 'victim'), 'untouched', { mode: 0o644 });
		await symlink(join(folder, 'victim'), join(folder, 'linked.json.new'));
		await open('linked.json').store.save({ at: 1 });
		expect(await readFile(join(folder, 'victim'), 'utf8')).toBe('untouched');
		expect((await lstat(join(folder, 'linked.json'))).mode & 0o777).toBe(0o600);
	});

	it('holds the last of several values that are saved at once', async () => {
		const { store } = open('twice.json');
		const values = ['a long value'.repeat(100_000), 'b', 'a long value'.repeat(50_000), 'the last'].map((at) => ({
			at,
		}));
		await Promise.all(values.map(async (value) => await store.save(value)));
		expect(await store.load()).toEqual({ at: 'the last' });
	});
});
