import {
	fileCheckpoint,
	fileJournal,
	nodePorts,
	openAccount,
	type AccountOptions,
	type OpenedAccount,
} from '@partner-exchange/core/node';
import {
	isExchangeError,
	pollBalances,
	type HttpRequest,
	type HttpResponse,
	type IntentJournal,
	type OpenSocket,
	type StoredCheckpoint,
} from '@partner-exchange/core';
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

	it('a property that fails by itself is refused by its name, with its error as the cause', async () => {
		const failing = (name: string, rest: object = {}) =>
			Object.defineProperty({ ...rest }, name, { enumerable: true, get: throws });
		await using exchange = open();
		const { client, stream } = exchange;
		const account = { environment: 'sandbox', apiKey: 'sandbox-key' };
		const placed = (await client.order.list()).orders.length;
		const deliver = async () => Promise.resolve();
		const handedOver: [string, () => unknown][] = [
			['quantity', () => client.order.create(failing('quantity', market) as never)],
			['signal', () => client.order.create(market, failing('signal'))],
			['wait', () => client.order.create(market, { options: failing('wait') })],
			['status', () => client.order.list(failing('status'))],
			['status', () => client.items('order.list', failing('status')).next()],
			['apiKey', () => openAccount(failing('apiKey', account) as never)],
			['journal', () => openAccount(account as never, failing('journal'))],
			['topics', () => stream.subscribe(failing('topics', { deliver }) as never).ready],
			['pairs', () => stream.subscribe({ topics: ['user.fills'], deliver, filters: failing('pairs') }).ready],
			['order_id', () => stream.command('order_cancel', failing('order_id'))],
			['amount', () => pollBalances(client, undefined, [failing('amount', { currency: 'NGN' }) as never])],
		];
		for (const [field, hand] of handedOver)
			await expect((async () => await hand())()).rejects.toMatchObject({
				code: expect.stringMatching(/^invalid_/) as string,
				field,
				cause: { message: 'of the caller' },
			});
		expect((await client.order.list()).orders).toHaveLength(placed);
	});

	it.each<[string, () => unknown]>([
		['undefined', () => undefined],
		['an empty text', () => ''],
		['an error', throws],
	])('a port newId that answers with %s makes no two orders one', async (_, newId) => {
		await using exchange = open({ ports: { ...nodePorts(), newId: newId as () => string } });
		await expect(exchange.client.order.create(market)).rejects.toMatchObject({ code: 'invalid_input', field: 'newId' });
		expect(await exchange.client.order.create(market, { options: { business_key: 'named' } })).toHaveProperty(
			'order_id',
		);
	});

	it('ports of a class keep what they work on', async () => {
		class Counting {
			private readonly inner = nodePorts();
			sent = 0;
			readonly clock = this.inner.clock;
			send(request: HttpRequest): Promise<HttpResponse> {
				this.sent += 1;
				return this.inner.send(request);
			}
			openSocket(...given: Parameters<OpenSocket>) {
				return this.inner.openSocket(...given);
			}
			random() {
				return this.inner.random();
			}
			newId() {
				return this.inner.newId();
			}
		}
		const ports = new Counting();
		await using exchange = open({ ports });
		await exchange.stream.subscribe({ topics: ['user.fills'], deliver: async () => Promise.resolve() }).ready;
		await exchange.client.order.create(market);
		expect(ports.sent).toBeGreaterThan(0);
	});

	describe('a checkpoint', () => {
		/** What a subscription stores, once it was ready. */
		async function storedBy(exchange: OpenedAccount, ...topics: string[]): Promise<StoredCheckpoint> {
			const stored: StoredCheckpoint[] = [];
			const deliver = async () => Promise.resolve();
			const { ready, close } = exchange.stream.subscribe({
				topics,
				deliver,
				onCheckpoint: (checkpoint) => void stored.push(checkpoint),
			});
			await ready;
			await until(() => Object.keys(stored.at(-1)?.topics ?? {}).length === topics.length, { what: 'it' });
			await close();
			return JSON.parse(JSON.stringify(stored.at(-1))) as StoredCheckpoint;
		}
		const ready = (exchange: OpenedAccount, topics: string[], checkpoint: StoredCheckpoint): Promise<void> =>
			exchange.stream.subscribe({ topics, checkpoint, deliver: async () => Promise.resolve() }).ready;

		it('of other topics is refused, and one of a topic more or less is taken', async () => {
			await using exchange = open();
			const fills = await storedBy(exchange, 'user.fills');
			await expect(ready(exchange, ['user.orders'], fills)).rejects.toThrow(
				'The checkpoint is of user.fills, and none of these is subscribed here',
			);
			await ready(exchange, ['user.fills', 'user.orders'], fills);
			await ready(exchange, ['user.fills'], await storedBy(exchange, 'user.fills', 'user.orders'));
		});

		it('of an account at another address is refused', async () => {
			await using exchange = open();
			const fills = await storedBy(exchange, 'user.fills');
			const other = { ...fills, address: 'https://elsewhere.test/v1' };
			await expect(ready(exchange, ['user.fills'], other)).rejects.toThrow(
				'is of the account at https://elsewhere.test/v1',
			);
		});

		it('is stored by one open subscription: what stores those of two would store one over the other', async () => {
			await using exchange = open();
			const kept = fileCheckpoint(join(folder, 'shared.json'));
			const deliver = async () => Promise.resolve();
			const fills = exchange.stream.subscribe({ topics: ['user.fills'], deliver, ...kept });
			await fills.ready;
			const orders = exchange.stream.subscribe({ topics: ['user.orders'], deliver, ...kept });
			await expect(orders.ready).rejects.toMatchObject({ code: 'invalid_input', field: 'onCheckpoint' });
			await fills.close();
			await exchange.stream.subscribe({ topics: ['user.fills'], deliver, ...kept }).ready;
		});
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
