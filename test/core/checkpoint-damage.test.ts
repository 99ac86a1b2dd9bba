/** Stored checkpoints that a disk has changed: each is told or read as it was, whatever the change is. */
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isCheckpointLost, checkpointFile } from '../../packages/node-red/src/checkpoints/checkpoints';

const stored = (turn: number) => ({
	wsUrl: 'wss://api.example.com/v1/ws',
	account: 'account-1',
	kept: { version: 2, topics: { 'user.fills': { seq: 4_200 + turn, epoch: 'e-1', keys: ['a1', 'b2', 'c3'] } } },
});

/** A file of the disk, changed at places that a seed chooses. */
type Damage = (bytes: Buffer, random: () => number) => Buffer;

const flip: Damage = (bytes, random) => {
	const changed = Buffer.from(bytes);
	changed[Math.floor(random() * bytes.length)]! ^= 1 << Math.floor(random() * 8);
	return changed;
};
/** Valid JSON again: the kind of damage that no parser sees. */
const flipOfLetter: Damage = (bytes, random) => {
	const letters = [...bytes.keys()].filter((at) => /[a-z0-9]/i.test(String.fromCharCode(bytes[at]!)));
	const changed = Buffer.from(bytes);
	changed[letters[Math.floor(random() * letters.length)]!]! ^= 1;
	return changed;
};
const tear: Damage = (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length));
const zero: Damage = (bytes, random) => {
	const changed = Buffer.from(bytes);
	return changed.fill(0, Math.floor(random() * bytes.length));
};
const edit =
	(from: string, to: string): Damage =>
	(bytes) =>
		Buffer.from(bytes.toString().replace(from, to));

const damages: readonly [string, Damage][] = [
	...[1, 2, 3, 4].map((seed): [string, Damage] => [`a bit, chosen by ${seed}`, flip]),
	...[5, 6, 7, 8].map((seed): [string, Damage] => [`a bit of a letter, chosen by ${seed}`, flipOfLetter]),
	...[9, 10].map((seed): [string, Damage] => [`torn, chosen by ${seed}`, tear]),
	...[11, 12].map((seed): [string, Damage] => [`zeros to the end, chosen by ${seed}`, zero]),
	['the name of its content', edit('"kept"', '"kepu"')],
	['the name of the topics', edit('"topics"', '"topicr"')],
	['the name of a topic', edit('user.fills', 'user.filks')],
	['the account', edit('account-1', 'account-0')],
	['the address', edit('wss:', 'ws:')],
	['a number', edit('420', '520')],
	['a key that objects have of themselves', edit('"seq"', '"__proto__"')],
	['a record with nothing of ours', () => Buffer.from('{"a":1}')],
	['all of it', () => Buffer.alloc(0)],
];

describe('a stored checkpoint that a disk has changed', () => {
	let file: string;
	let said: string[];
	const open = () => checkpointFile(file, (problem) => said.push(problem));
	beforeEach(async () => {
		said = [];
		file = join(await mkdtemp(join(tmpdir(), 'checkpoint-')), 'listen.json');
		await open().save(stored(1));
		const store = open();
		await store.load();
		await store.save(stored(2));
	});
	afterEach(async () => await rm(join(file, '..'), { recursive: true }));

	it.each(damages)('is read from the generation before, and told: %s', async (title, damage) => {
		await change(file, title, damage);
		expect(await open().load()).toMatchObject(stored(1));
		expect(said).toEqual([expect.stringContaining('is damaged')]);
	});

	it.each(damages)('is lost, and told, where both generations are: %s', async (title, damage) => {
		await change(file, title, damage);
		await change(`${file}.before`, title, damage);
		const error = await open()
			.load()
			.catch((thrown: unknown) => thrown);
		expect(isCheckpointLost(error)).toBe(true);
	});

	it('is the older of the two where somebody has swapped them, so that nothing is missed', async () => {
		await rename(file, `${file}.held`);
		await rename(`${file}.before`, file);
		await rename(`${file}.held`, `${file}.before`);
		expect(await open().load()).toMatchObject(stored(1));
	});

	it('is read as it was where its fields come in another order', async () => {
		const fields = Object.entries(JSON.parse(await readFile(file, 'utf8')) as object);
		await writeFile(file, JSON.stringify(Object.fromEntries(fields.reverse()), undefined, 2));
		expect(await open().load()).toMatchObject(stored(2));
		expect(said).toEqual([]);
	});
});

async function change(file: string, title: string, damage: Damage): Promise<void> {
	const random = seeded(Number(/\d+$/.exec(title)?.[0] ?? 0));
	const before = await readFile(file);
	const after = damage(before, random);
	expect(after.equals(before)).toBe(false);
	await writeFile(file, after);
}

/** The same numbers for the same seed. */
function seeded(seed: number): () => number {
	let state = seed + 1;
	return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
