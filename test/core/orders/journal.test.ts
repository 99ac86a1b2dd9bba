import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import type { IntentEntry } from '@partner-exchange/core';
import { fileJournal } from '@partner-exchange/core/node';
import { newFolder } from '../../support/folder';
import { failureWhileLocked } from '../../support/locked';
import { openIn } from '../../../packages/core/src/orders/journal';

const HOUR_MS = 3_600_000;
/** The version of the lines of the journal. */
const VERSION = 1;
const OWNER = { address: 'http://127.0.0.1/v1', key: 'digest' };

const entry = (key: string, at = 1_000): IntentEntry => ({
	key,
	operation: 'order.create',
	fields: { quantity: '10.00', client_order_id: key },
	at,
	account: OWNER,
});

describe('the journal of open intents', () => {
	let folder: string;
	let file: string;

	beforeEach(() => {
		warnings.length = 0;
		folder = newFolder();
		file = join(folder, 'deep', 'orders.jsonl');
	});

	const warnings: string[] = [];
	const journal = () => fileJournal(file, { warn: (text) => warnings.push(text) });
	const openKeys = async () => (await journal().open()).map(({ key }) => key);

	it('keeps the intents recorded and not yet resolved in the journal, oldest first', async () => {
		const first = journal();
		await first.record(entry('late', 1_500));
		await first.record(entry('early'));
		await first.record(entry('done'));
		await first.close('done', 'accepted', OWNER);
		expect(await openKeys()).toEqual(['early', 'late']);
		expect(await journal().open()).toContainEqual(entry('early'));
	});

	it('lets only its owner read the journal', async () => {
		await journal().record(entry('a'));
		expect((await stat(file)).mode & 0o777).toBe(0o600);
	});

	it('skips a journal line torn by a crash at any byte, and writes on after it', async () => {
		const first = journal();
		await first.record(entry('whole'));
		const whole = (await stat(file)).size;
		await first.record(entry('torn'));
		const size = (await stat(file)).size;
		for (let cut = size - 1; cut > whole; cut -= 7) {
			await truncate(file, cut);
			expect(await openKeys()).toEqual(cut === size - 1 ? ['whole', 'torn'] : ['whole']);
		}
		await journal().record(entry('next'));
		expect(await openKeys()).toEqual(['whole', 'next']);
	});

	it('skips a damaged journal line, keeps the others, and keeps a copy for a person', async () => {
		const first = journal();
		for (const key of ['a', 'b', 'c']) await first.record(entry(key));
		const text = await readFile(file, 'utf8');
		await writeFile(file, text.replace('"client_order_id":"b"', '"client_order_id":"x"'));
		expect(await openKeys()).toEqual(['a', 'c']);
		expect(warnings).toEqual([expect.stringContaining('1 damaged line')]);
		expect(await readFile(`${file}.damaged`, 'utf8')).toContain('"client_order_id":"x"');
	});

	it.each([
		'null',
		'7',
		'{}',
		'{',
		'{"settle":{"toString":0}}',
		'{"record":null}',
		'{"record":{"key":"k","operation":"order.create","fields":{"order_id":{"toString":0}},"at":1}}',
		'{"record":{"key":"k","operation":"order.list","fields":{},"at":1}}',
		'{"record":{"key":"k","operation":"constructor","fields":{},"at":1}}',
		'{"record":{"key":"k","operation":"order.create","fields":{},"at":"then"}}',
	])('treats the journal line %s as damage although its checksum is right', async (json) => {
		await journal().record(entry('a'));
		const sum = crc32(json, VERSION).toString(16).padStart(8, '0');
		await appendFile(file, `${sum} ${json}\n`);
		expect(await openKeys()).toEqual(['a']);
		expect(warnings).toEqual([expect.stringContaining('1 damaged line')]);
	});

	it('says of a journal that a disk left full of zeros that it is damaged', async () => {
		await journal().record(entry('a'));
		await writeFile(file, Buffer.alloc(4_096));
		expect(await openKeys()).toEqual([]);
		expect(warnings).toEqual([expect.stringContaining('1 damaged line')]);
		expect(await readFile(`${file}.damaged`)).toHaveLength(4_096);
	});

	it.each(Array.from({ length: 8 }, (_, bit) => bit))(
		'keeps the open intent whose line break a disk has changed in bit %i',
		async (bit) => {
			const first = journal();
			for (const key of ['a', 'b']) await first.record(entry(key));
			const bytes = await readFile(file);
			bytes[bytes.length - 1]! ^= 1 << bit;
			await writeFile(file, bytes);
			expect(await openKeys()).toEqual(['a', 'b']);
			await journal().record(entry('c'));
			expect(await openKeys()).toEqual(['a', 'b', 'c']);
		},
	);

	it.each(Array.from({ length: 20 }, (_, seed) => seed))(
		'keeps every open intent, or says that a line is damaged, where a disk has changed any bit: %i',
		async (seed) => {
			const first = journal();
			for (const key of ['a', 'b', 'c']) await first.record(entry(key));
			const bytes = await readFile(file);
			const bit = (seed * 7_919 + 13) % (bytes.length * 8);
			bytes[bit >> 3]! ^= 1 << (bit & 7);
			await writeFile(file, bytes);
			const kept = await openKeys();
			expect(kept.length === 3 || warnings.length > 0).toBe(true);
			expect(kept.length).toBeGreaterThanOrEqual(1);
		},
	);

	it('reports a line that another version wrote, and reads nothing of it', async () => {
		await journal().record(entry('a'));
		const json = JSON.stringify({ record: entry('b') });
		await appendFile(
			file,
			`${crc32(json, VERSION + 1)
				.toString(16)
				.padStart(8, '0')} ${json}\n`,
		);
		expect(await openKeys()).toEqual(['a']);
		expect(warnings).toEqual([expect.stringContaining('another version')]);
	});

	it('follows no link where it writes the journal', async () => {
		const foreign = join(folder, 'foreign');
		await writeFile(foreign, 'of somebody else');
		await mkdir(dirname(file), { recursive: true });
		await writeFile(file, 'damaged\n');
		for (const ending of ['.new', '.damaged']) await symlink(foreign, file + ending);
		await journal().record(entry('a'));
		expect(await readFile(foreign, 'utf8')).toBe('of somebody else');
		expect(await openKeys()).toEqual(['a']);
	});

	it('keeps the journal small however many intents pass through it', async () => {
		const busy = journal();
		for (let number = 0; number < 1_100; number += 1) {
			await busy.record(entry(`intent-${number}`));
			await busy.close(`intent-${number}`, 'accepted', OWNER);
		}
		await busy.record(entry('open'));
		expect((await readFile(file, 'utf8')).split('\n').length).toBeLessThan(2_002);
		expect(await openKeys()).toEqual(['open']);
	});

	it('confirms each of many journal writes at once only when it is on the disk, and reports a failure to each', async () => {
		const busy = journal();
		const keys = Array.from({ length: 200 }, (_, number) => `intent-${number}`);
		const onDisk = async (key: string): Promise<boolean> => {
			await busy.record(entry(key));
			return readFileSync(file, 'utf8').includes(`"${key}"`);
		};
		expect(await Promise.all(keys.map(onDisk))).toEqual(keys.map(() => true));
		await Promise.all(keys.slice(1).map((key) => busy.close(key, 'accepted', OWNER)));
		expect(await openKeys()).toEqual(['intent-0']);
		await rm(file);
		await mkdir(file);
		const refused = await Promise.allSettled(keys.map((key) => busy.record(entry(key))));
		expect(refused.filter(({ status }) => status === 'fulfilled')).toEqual([]);
	});

	it('writes to a journal file of the same name that was removed or replaced meanwhile', async () => {
		const busy = journal();
		await busy.record(entry('a'));
		await rm(file);
		await busy.record(entry('b'));
		expect(await openKeys()).toContain('b');
		await writeFile(`${file}.other`, '');
		await rename(`${file}.other`, file);
		await busy.record(entry('c'));
		expect(await openKeys()).toEqual(['c']);
	});

	it('keeps an unresolved intent in the journal, however old it is', async () => {
		const first = journal();
		await first.record(entry('of 1970', 0));
		await first.record(entry('of the future', Date.now() + 365 * 24 * HOUR_MS));
		expect(await openKeys()).toEqual(['of 1970', 'of the future']);
	});

	it('keeps what another account has open under the same key, over a restart as well', async () => {
		const [here, there] = [OWNER, { ...OWNER, address: 'http://127.0.0.2/v1' }];
		const busy = journal();
		await busy.record(entry('same'));
		await busy.record({ ...entry('same'), account: there });
		await busy.close('same', 'refused', there);
		const accounts = async () => (await journal().open()).map(({ account }) => account);
		expect(await accounts()).toEqual([here]);
		await journal().close('same', 'accepted', here);
		expect(await accounts()).toEqual([]);
	});

	it('reads the journal again after a failed first reading', async () => {
		await mkdir(file, { recursive: true });
		const again = journal();
		await expect(again.open()).rejects.toThrow();
		await rm(file, { recursive: true });
		await again.record(entry('a'));
		expect(await openKeys()).toEqual(['a']);
	});

	it('keeps two processes from writing one journal, and takes it over from a dead process', async () => {
		await mkdir(dirname(file), { recursive: true });
		const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
		await writeFile(`${file}.lock.1`, `${hostname()} ${other.pid}`);
		const waiting = journal();
		const touch = (second: number) => utimesSync(`${file}.lock.1`, second, second);
		const error = await failureWhileLocked(() => waiting.record(entry('a')), touch);
		expect(error).toMatchObject({ message: expect.stringContaining('another process uses it') });
		const ended = once(other, 'exit');
		other.kill();
		await ended;
		await journal().record(entry('a'));
		expect(await openKeys()).toEqual(['a']);
	});

	it('refuses an order whose journal another process takes over while it is being written', async () => {
		const loser = journal();
		await loser.record(entry('a'));
		const writing = loser.record(entry('b'));
		await setImmediate();
		// The other one reads the journal before this line is in it, and writes it again.
		writeFileSync(`${file}.lock.2`, 'another-machine 1');
		rmSync(`${file}.lock.1`);
		await expect(writing).rejects.toThrow('another process uses it');
	});

	it('leaves the journal to another process that took it over while this one read it', async () => {
		await mkdir(dirname(file));
		await writeFile(file, 'damaged\n');
		const loser = fileJournal(file, {
			warn: () => {
				writeFileSync(`${file}.lock.2`, 'another-machine 1');
				rmSync(`${file}.lock.1`);
				writeFileSync(file, 'of the other process');
			},
		});
		await expect(loser.record(entry('a'))).rejects.toThrow('another process uses it');
		expect(await readFile(file, 'utf8')).toBe('of the other process');
	});

	it('waits for the journal of another machine until nobody touched its lock for half a minute', async () => {
		await mkdir(dirname(file), { recursive: true });
		await writeFile(`${file}.lock.1`, 'another-machine 1');
		const waiting = journal();
		let waitedSeconds = 0;
		const failed = await failureWhileLocked(
			() => waiting.record(entry('a')),
			(second) => (waitedSeconds = second),
		);
		expect([failed, waitedSeconds]).toEqual([undefined, 31]);
		expect(await openKeys()).toEqual(['a']);
	});

	it('refuses an order where the journal cannot be written', async () => {
		await writeFile(join(folder, 'deep'), 'a file in the way');
		await expect(journal().record(entry('a'))).rejects.toThrow();
	});

	it('says what the disk answered about the journal, and never where it lies', async () => {
		await writeFile(join(folder, 'deep'), 'a file in the way');
		const what = /^The journal of open orders cannot be read \(E[A-Z]+\)\. .* may be written to; this run sent nothing/;
		await expect(openIn(journal())).rejects.toThrow(what);
		await expect(openIn(journal())).rejects.not.toThrow(folder);
	});

	it('says of a journal that another process uses to give each a folder of its own', async () => {
		await mkdir(join(folder, 'deep'));
		await writeFile(`${file}.lock.1`, 'another-machine 1');
		const waiting = journal();
		const touch = (second: number) => utimesSync(`${file}.lock.1`, second, second);
		expect(await failureWhileLocked(() => openIn(waiting), touch)).toMatchObject({
			message: expect.stringMatching(/another process uses it\. Give each process a folder of its own;/),
		});
	});
});
