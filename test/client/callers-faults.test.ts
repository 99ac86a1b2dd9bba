import {
	fileCheckpoint,
	fileJournal,
	nodePorts,
	openAccount,
	type AccountOptions,
	type OpenedAccount,
} from '@partner-exchange/core/node';
import { isExchangeError, type IntentJournal, type StoredCheckpoint } from '@partner-exchange/core';
import { startSandbox } from '@partner-exchange/sandbox';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/folder';
import { until } from '../support/condition';
import { forAll } from '../support/opened';

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
	const sandbox = forAll(() => startSandbox({ marketMaker: true }));
	const unhandled: unknown[] = [];
	const note = (reason: unknown): void => void unhandled.push(reason);
	beforeAll(() => process.on('unhandledRejection', note));
	afterEach(async () => {
		sandbox.faults.disarm();
		// Node tells of a rejection that nobody handled after the turn in which it happened.
		for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
		expect(unhandled.splice(0)).toEqual([]);
	});
	afterAll(() => process.off('unhandledRejection', note));
	const open = (options: AccountOptions = {}) =>
		openAccount({ environment: 'sandbox', baseUrl: sandbox.baseUrl, apiKey: 'sandbox-key' }, options);

	it.each(failures)('warn and progress that %s change nothing of an order that was sent', async (_, fails) => {
		await using exchange = open();
		sandbox.faults.arm({ kind: 'server-error', operation: 'market.list', times: 9 });
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		const placed = exchange.client.order.create(market, { warn: fails, progress: fails, options: { wait: 'final' } });
		expect(await placed).toMatchObject({ status: 'filled' });
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
	const folder = newFolder();

	it('that is there and cannot be read is no first start', () => {
		const loop = join(folder, 'loop');
		symlinkSync(loop, loop);
		let told: unknown;
		try {
			fileCheckpoint(loop);
		} catch (error) {
			told = error;
		}
		expect(told).toMatchObject({ code: 'not_available', cause: { code: 'ELOOP' } });
		expect(isExchangeError(told) && told.message).toContain(`${loop} cannot be read (ELOOP)`);
		for (const open of [fileCheckpoint, fileJournal]) expect(() => open('')).toThrow('text that is not empty');
	});

	it('belongs to the subscription that opened it last', async () => {
		const file = join(folder, 'two.json');
		const [first, second] = [fileCheckpoint(file), fileCheckpoint(join(folder, '.', 'two.json'))];
		const checkpoint = { version: 4, topics: {} } as never;
		await second.onCheckpoint(checkpoint);
		await expect(first.onCheckpoint(checkpoint)).rejects.toThrow('Give each subscription a file of its own');
	});
});
