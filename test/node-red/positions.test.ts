import { lstat, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile, readdir, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { positionFile } from '../../packages/node-red/src/positions/positions';
import { removeOrphanFiles } from '../../packages/node-red/src/positions/orphan-files';
import { startNodeRed } from '../support/node-red';
import { account, node, packageFolder, tab } from './flows';

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
		await open('between.json').store.save({ at: 1 });
		await rename(join(folder, 'between.json'), join(folder, 'between.json.before'));
		expect(await open('between.json').store.load()).toEqual({ at: 1 });
	});

	it('a position file that somebody removed is written again', async () => {
		const { store } = open('removed.json');
		for (const at of [1, 2]) await store.save({ at });
		await rm(join(folder, 'removed.json'));
		await store.save({ at: 3 });
		expect(await open('removed.json').store.load()).toEqual({ at: 3 });
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

const DAY_MS = 24 * 60 * 60 * 1000;

const NOW = Date.UTC(2026, 0, 31);

/** The journal of an account with the ID `account-gone`. */
const GONE_JOURNAL = 'orders-c94481525f2b8fa3.journal';

/** Files as nodes left them; files with an age have had no node for that many days. */
async function leave(folder: string, files: Record<string, number | undefined>, now = NOW): Promise<void> {
	await mkdir(folder, { recursive: true });
	for (const [name, days] of Object.entries(files)) {
		await writeFile(join(folder, name), '{}');
		if (days === undefined) continue;
		await writeFile(join(folder, `${name}.unused`), '');
		await utimes(join(folder, `${name}.unused`), new Date(), new Date(now - days * DAY_MS));
	}
}

describe('files of nodes', () => {
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), 'orphan-files-'));
	});
	afterEach(async () => await rm(folder, { recursive: true }));

	const after = async (...ids: string[]): Promise<string[]> => {
		removeOrphanFiles(folder, ids, NOW);
		return (await readdir(folder)).sort();
	};

	it('removes the files of a node that was missing for a month, and not before', async () => {
		await leave(folder, { 'gone.json': 31, 'missing.json': 29, [GONE_JOURNAL]: 31 });
		expect(await after('other')).toEqual(['missing.json', 'missing.json.unused']);
	});

	it('marks the files of a missing node, whatever their own age', async () => {
		await leave(folder, { 'old.json': undefined });
		await utimes(join(folder, 'old.json'), new Date(), new Date(NOW - 365 * DAY_MS));
		expect(await after('other')).toEqual(['old.json', 'old.json.unused']);
	});

	it('keeps the files of a node that is back, and removes their mark', async () => {
		await leave(folder, { 'back.json': 300, [GONE_JOURNAL]: 300 });
		expect(await after('back', 'account-gone')).toEqual(['back.json', GONE_JOURNAL]);
	});

	it('keeps the files of nodes in a subflow as long as its instance is there', async () => {
		await leave(folder, { 'one-two-three.json': 300, 'other-two.json': 300 });
		expect(await after('one')).toEqual(['one-two-three.json']);
	});

	it('keeps files that are not ours, and ignores a missing folder', async () => {
		await leave(folder, { 'notes.txt': 300 });
		expect(await after('one')).toEqual(['notes.txt', 'notes.txt.unused']);
		expect(() => removeOrphanFiles(join(folder, 'nowhere'), ['one'], NOW)).not.toThrow();
	});
});

describe('a deploy in a real Node-RED', () => {
	it('removes after a deploy the files of a deleted node, and none of a disabled tab or node', async () => {
		const nodeRed = await startNodeRed({ packages: [packageFolder] });
		const folder = join(nodeRed.userDir, 'partner-exchange');
		const nowhere = { baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' };
		const flows = [
			{ ...tab, disabled: true },
			{ id: 'tab-two', type: 'tab', label: 'Running' },
			account(nowhere),
			...node('asleep', 'events', { topics: ['user.fills'] }),
			...node('off', 'events', { topics: ['user.fills'], z: 'tab-two', d: true }),
		];
		try {
			await leave(folder, { 'asleep.json': 31, 'off.json': 31, 'gone.json': 31, [GONE_JOURNAL]: 31 }, Date.now());
			await nodeRed.deploy(flows);
			// The account of the flows has locked its journal by then.
			const left = (await readdir(folder)).filter((name) => !name.includes('.journal.lock'));
			expect(left.sort()).toEqual(['asleep.json', 'off.json']);
		} finally {
			await nodeRed.stop();
		}
	});
});
