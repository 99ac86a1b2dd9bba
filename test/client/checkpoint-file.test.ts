import { execFileSync } from 'node:child_process';
import {
	existsSync,
	lstatSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ExchangeError, StoredCheckpoint, StreamEvent } from '@partner-exchange/core';
import { fileCheckpoint, fileJournal, openAccount, replaceFile, type OpenedAccount } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../support/folder';
import { until } from '../support/condition';
import { failureWhileLocked } from '../support/locked';
import { CHECKPOINT_VERSION } from '../../packages/core/src/stream/log/checkpoint';
import { forEach } from '../support/opened';

const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '1.00' } as const;

/** What is in a file of the version that is read. */
const stored = (fields: object): string => JSON.stringify({ version: CHECKPOINT_VERSION, ...fields });

describe('a checkpoint in a file', () => {
	const sandbox = forEach(() => startSandbox({ marketMaker: true }));
	let folder: string;
	let file: string;
	const opened: OpenedAccount[] = [];
	beforeEach(async () => {
		folder = newFolder();
		file = join(folder, 'fills.json');
	});
	afterEach(async () => {
		for (const { close } of opened.splice(0)) await close();
	});

	/** One run of a script. */
	function start(path = file) {
		const { baseUrl } = sandbox;
		const account = openAccount({ environment: 'sandbox', baseUrl, apiKey: 'sandbox-key' });
		opened.push(account);
		const keys: string[] = [];
		const failures: ExchangeError[] = [];
		const subscription = account.stream.subscribe({
			topics: ['user.fills'],
			...fileCheckpoint(path),
			deliver: async (events: StreamEvent<'user.fills'>[]) => void keys.push(...events.map(({ eventKey }) => eventKey)),
			onFailed: (error) => void failures.push(error),
		});
		return { ...account, subscription, keys, failures };
	}
	const written = (text: string): Promise<unknown> =>
		until(() => existsSync(file) && readFileSync(file, 'utf8') !== text, { what: 'the checkpoint' });

	it('begins from now where there is no file, and delivers to the next run what the last one missed', async () => {
		const first = start();
		await first.subscription.ready;
		await first.client.order.create(order);
		await until(() => first.keys.length === 1, { what: 'the first fill' });
		await written('');
		await first.close();
		await until(() => JSON.parse(readFileSync(file, 'utf8')) as unknown, { what: 'a whole checkpoint' });
		await first.client.order.create(order, { options: { wait: 'final' } });
		const second = start();
		await until(() => second.keys.some((key) => !first.keys.includes(key)), { what: 'the fill that was missed' });
		expect(statSync(file).mode & 0o777).toBe(0o600);
	});

	it.each(['', '{"version":1,"topics":{"user.fil', '[]', 'null', stored({ topics: { 'user.fills': {} } })])(
		'that is %j ends the subscription, and the error names the file',
		async (text) => {
			writeFileSync(file, text);
			const { subscription, failures } = start();
			await expect(subscription.ready).rejects.toMatchObject({
				...{ code: 'invalid_input', field: 'checkpoint' },
				message: expect.stringContaining(`The checkpoint ${file} is damaged`),
			});
			expect(failures).toHaveLength(1);
			expect(readFileSync(file, 'utf8')).toBe(text);
		},
	);

	it.each([
		['another address', stored({ address: 'http://elsewhere.example/v1', topics: { 'user.fills': {} } })],
		['another topic', stored({ topics: { 'user.orders': {} } })],
	])('that is of %s is named by its file', async (_, text) => {
		writeFileSync(file, text);
		const { subscription } = start();
		await expect(subscription.ready).rejects.toThrow(`The checkpoint ${file} is of `);
	});

	it('that cannot be written ends the subscription with the reason', async () => {
		const { subscription, client, failures } = start(join(folder, 'a-file', 'fills.json'));
		writeFileSync(join(folder, 'a-file'), '');
		await subscription.ready;
		await client.order.create(order);
		const error = await until(() => failures[0], { what: 'the end of the subscription' });
		expect(error.cause).toMatchObject({ code: 'EEXIST' });
	});

	it('is there once the account is closed that was writing it', async () => {
		const { close } = openAccount({ environment: 'sandbox', baseUrl: sandbox.baseUrl, apiKey: 'sandbox-key' });
		const written = fileCheckpoint(file).onCheckpoint(JSON.parse(stored({ topics: {} })) as StoredCheckpoint);
		await close();
		expect(existsSync(file)).toBe(true);
		await written;
	});
});

describe('a checkpoint whose file another process uses', () => {
	let file: string;
	const touch = (second: number): void => utimesSync(`${file}.lock.1`, second, second);
	const write = () => fileCheckpoint(file).onCheckpoint(JSON.parse(stored({ topics: {} })) as StoredCheckpoint);
	beforeEach(() => {
		file = join(newFolder(), 'fills.json');
		writeFileSync(`${file}.lock.1`, 'another-machine 1');
	});

	it('waits until that one, killed in another container, counts as dead', async () => {
		let last = 0;
		expect(await failureWhileLocked(write, (second) => (last = second) <= 5 && touch(second))).toBeUndefined();
		expect([existsSync(file), last > 30]).toEqual([true, true]);
	});

	it.each([
		['an hour ahead', 3_600],
		['an hour behind', -3_600],
	])('takes the file of a dead process over whose clock was %s', async (_, offset) => {
		const at = Date.now() / 1_000 + offset;
		touch(at);
		expect(await failureWhileLocked(write)).toBeUndefined();
	});

	it('is refused where that one goes on, and stays as that one wrote it', async () => {
		const error = await failureWhileLocked(write, touch);
		expect(error).toMatchObject({ message: expect.stringContaining(`${file} is used by another process`) });
		expect(existsSync(file)).toBe(false);
	});

	it('waits once for a process that goes on', async () => {
		const { onCheckpoint } = fileCheckpoint(file);
		const again = () => onCheckpoint(JSON.parse(stored({ topics: {} })) as StoredCheckpoint);
		let waited = 0;
		const error = await failureWhileLocked(
			() => again().catch(again),
			(second) => touch((waited = second)),
		);
		expect([error, waited]).toMatchObject([{ code: 'not_available' }, 40]);
	});

	it.each(['a pipe', 'a folder'])('is refused where the lock is %s', async (what) => {
		rmSync(`${file}.lock.1`);
		if (what === 'a pipe') execFileSync('mkfifo', [`${file}.lock.1`]);
		else mkdirSync(`${file}.lock.1`);
		expect(await failureWhileLocked(write)).toMatchObject({ code: 'not_available' });
	});
});

describe('a file that is replaced', () => {
	it('holds the last of those that were written at once, and each of them ends well', async () => {
		const file = join(newFolder(), 'wallet.json');
		await Promise.all(Array.from({ length: 20 }, (_, index) => replaceFile(file, String(index))));
		expect(readFileSync(file, 'utf8')).toBe('19');
		expect(existsSync(`${file}.new`)).toBe(false);
	});

	it.each(['there', 'not there yet'])('is found behind links that stay, to a file that is %s', async (place) => {
		const folder = newFolder();
		const [file, link, outer] = ['wallet.json', 'link.json', 'outer.json'].map((name) => join(folder, name));
		symlinkSync('wallet.json', link!);
		symlinkSync(link!, outer!);
		if (place === 'there') writeFileSync(file!, 'old');
		await replaceFile(outer!, 'new');
		expect(readFileSync(file!, 'utf8')).toBe('new');
		expect([link!, outer!].every((each) => lstatSync(each).isSymbolicLink())).toBe(true);
	});

	it('is a file: a device, a pipe and a folder are refused by their name, and stay', async () => {
		const folder = newFolder();
		const [pipe, inner, link] = ['pipe', 'inner', 'null'].map((name) => join(folder, name));
		execFileSync('mkfifo', [pipe!]);
		mkdirSync(inner!);
		symlinkSync('/dev/null', link!);
		for (const name of [pipe!, inner!, link!]) {
			const refusal = { code: 'invalid_input', message: expect.stringContaining(`${name} is a folder, a device`) };
			await expect(replaceFile(name, 'text')).rejects.toMatchObject(refusal);
			expect(() => fileCheckpoint(name)).toThrow(`${name} is a folder, a device`);
			await expect(fileJournal(name).open()).rejects.toMatchObject(refusal);
		}
		expect(lstatSync(link!).isSymbolicLink()).toBe(true);
		expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
	});
});
