import { fileCheckpoint, fileJournal, nodePorts, openAccount, type AccountOptions } from '@partner-exchange/core/node';
import { isExchangeError, type IntentJournal } from '@partner-exchange/core';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../support/condition';

const market = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '1' } as const;
const throws = (): never => {
	throw new TypeError('of the caller');
};
const rejects = async (): Promise<never> => Promise.reject(new TypeError('of the caller'));
/** Each way to fail, as what the types take. */
const failures: [string, () => void][] = [
	['throws', throws],
	['rejects', rejects],
];

describe('what a caller hands over and what fails by itself', () => {
	let sandbox: Sandbox;
	let folder: string;
	const unhandled: unknown[] = [];
	const note = (reason: unknown): void => void unhandled.push(reason);
	beforeAll(async () => {
		sandbox = await startSandbox({ marketMaker: true });
		folder = mkdtempSync(join(tmpdir(), 'callers-faults-'));
		process.on('unhandledRejection', note);
	});
	afterEach(async () => {
		sandbox.faults.disarm();
		await new Promise((resolve) => setTimeout(resolve, 20));
		expect(unhandled.splice(0)).toEqual([]);
	});
	afterAll(async () => {
		process.off('unhandledRejection', note);
		await sandbox.close();
		rmSync(folder, { recursive: true });
	});
	const open = (options: AccountOptions = {}) =>
		openAccount({ environment: 'sandbox', baseUrl: sandbox.baseUrl, apiKey: 'sandbox-key' }, options);

	it.each(failures)('warn and progress that %s change nothing of an order that was sent', async (_, fails) => {
		await using exchange = open();
		sandbox.faults.arm({ kind: 'server-error', operation: 'market.list', times: 9 });
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		const placed = exchange.client.order.create(market, { warn: fails, progress: fails, options: { wait: 'final' } });
		expect(await placed).toMatchObject({ status: 'filled' });
	});

	it.each(failures)('a listener of orders that %s harms neither another one nor a subscription', async (_, fails) => {
		await using exchange = open();
		const heard: unknown[] = [];
		const delivered: unknown[] = [];
		exchange.stream.onOrderUpdate(fails);
		exchange.stream.onOrderUpdate((order) => void heard.push(order));
		const orders = exchange.stream.subscribe({
			topics: ['user.orders'],
			deliver: async (events) => Promise.resolve(void delivered.push(...events)),
		});
		await orders.ready;
		await exchange.client.order.create(market, { options: { wait: 'final' } });
		await until(() => heard.length > 0 && delivered.length > 0, { what: 'the update' });
	});

	it('a name of every object is refused like any other one', async () => {
		await using exchange = open();
		for (const name of ['__proto__', 'constructor', 'toString']) {
			const input = JSON.parse(`{"${name}":{"quantity":"5"}}`) as object;
			await expect(exchange.client.order.create({ ...market, ...input, [name]: 1 })).rejects.toThrow(name);
			await expect(exchange.client.order.create(market, { options: input })).rejects.toThrow(name);
			await expect(exchange.client.order.create(market, input)).rejects.toThrow(name);
		}
	});

	it('what an object inherits is not passed over', async () => {
		await using exchange = open();
		const options = Object.create(Object.assign(Object.create(null) as object, { dry_run: true })) as object;
		await expect(exchange.client.order.create(market, { options })).rejects.toThrow('options must be a plain object');
	});

	it.each([
		['null', async () => Promise.resolve(null)],
		['other entries', async () => Promise.resolve([null, {}])],
		['an error', rejects],
	])('a journal that answers with %s counts as unreadable, and nothing is sent', async (_, read) => {
		const journal = { record: rejects, close: rejects, open: read } as never as IntentJournal;
		await using exchange = open({ journal });
		const error: unknown = await exchange.client.order.create(market).catch((caught: unknown) => caught);
		expect(error).toMatchObject({ code: 'not_available' });
		if (read === rejects) expect(error).toMatchObject({ cause: { message: 'of the caller' } });
		await expect(exchange.client.recover().next()).rejects.toMatchObject({ code: 'not_available' });
	});

	it('a journal whose warn fails is read', async () => {
		const file = join(folder, 'orders.jsonl');
		writeFileSync(file, 'damaged\n');
		await using exchange = open({ journal: fileJournal(file, { warn: throws }) });
		expect(await exchange.client.order.create(market)).toHaveProperty('order_id');
	});

	it('a signal ends a list between two rows, and its reason is the cause', async () => {
		await using exchange = open();
		for (let placed = 0; placed < 3; placed += 1) await exchange.client.order.create(market);
		const [stop, mine] = [new AbortController(), new Error('enough')];
		const rows: unknown[] = [];
		const all = async (): Promise<void> => {
			for await (const row of exchange.client.order.list({}, { signal: stop.signal }))
				if (rows.push(row) === 1) stop.abort(mine);
		};
		await expect(all()).rejects.toMatchObject({ code: 'aborted', cause: mine });
		expect(rows).toHaveLength(1);
		const { signal } = stop;
		await expect(exchange.client.order.create(market, { signal })).rejects.toMatchObject({ cause: mine });
	});

	it('a command refuses what cannot be sent', async () => {
		await using exchange = open();
		const command = exchange.stream.command as (...given: unknown[]) => Promise<unknown>;
		const circular: Record<string, unknown> = {};
		circular.itself = circular;
		for (const given of [[{ order_id: 5n }], [circular], [{}, 'a signal'], [{}, undefined, 'a question']])
			await expect(command('order_cancel', ...given)).rejects.toMatchObject({ code: 'invalid_input' });
	});

	it('a connection that cannot be opened by the port of the caller is told', async () => {
		await using exchange = open({ ports: { ...nodePorts(), openSocket: throws } });
		const { ready } = exchange.stream.subscribe({ topics: ['user.fills'], deliver: rejects });
		await expect(ready).rejects.toThrow('the port openSocket, failed by itself');
	});

	it('a cancel after the account was closed is refused at once', async () => {
		const exchange = open();
		const { order_id } = await exchange.client.order.create({ ...market, order_type: 'limit', price: '1000' });
		await exchange.close();
		await exchange.close();
		const cancelled = exchange.client.order.cancel({ pair_id: 'USD/NGN', order_id });
		await expect(cancelled).rejects.toThrow('the account was closed. Open the account again');
	});
});

describe('the file of a checkpoint', () => {
	let folder: string;
	beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'callers-faults-'))));
	afterAll(() => rmSync(folder, { recursive: true }));

	it('that is there and cannot be read is no first start', () => {
		const loop = join(folder, 'loop');
		symlinkSync(loop, loop);
		for (const [file, code] of [
			[loop, 'ELOOP'],
			[folder, 'EISDIR'],
		] as const) {
			let told: unknown;
			try {
				fileCheckpoint(file);
			} catch (error) {
				told = error;
			}
			expect(told).toMatchObject({ code: 'not_available', cause: { code } });
			expect(isExchangeError(told) && told.message).toContain(`${file} cannot be read (${code})`);
		}
		for (const open of [fileCheckpoint, fileJournal]) expect(() => open('')).toThrow('text that is not empty');
	});

	it('belongs to the subscription that opened it last', async () => {
		const file = join(folder, 'two.json');
		const [first, second] = [fileCheckpoint(file), fileCheckpoint(join(folder, '.', 'two.json'))];
		const checkpoint = { version: 3, topics: {} } as never;
		await second.onCheckpoint(checkpoint);
		await expect(first.onCheckpoint(checkpoint)).rejects.toThrow('Give each subscription a file of its own');
	});
});
