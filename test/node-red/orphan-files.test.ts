import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeOrphanFiles } from '../../packages/node-red/src/positions/orphan-files';
import { startNodeRed } from '../support/node-red';
import { account, node, packageFolder, tab } from './flows';

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
