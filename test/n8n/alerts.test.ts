import { seal } from '@partner-exchange/core/adapters';
import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { until } from '../support/condition';
import { startPolls, type TriggerOptions } from '../support/engine-trigger';
import { answer, credentialFor, limitOrder, pick } from './exchange';

let sandbox: Sandbox;
beforeEach(async () => {
	// The clock stands still, so that no transaction settles unnoticed.
	sandbox = await startSandbox({ clock: 'virtual' });
});
afterEach(async () => await sandbox.close());

const looks = (parameters: IDataObject, nodeStaticData?: IDataObject, more: TriggerOptions = {}) =>
	startPolls(PartnerExchangeAlertTrigger, {
		...credentialFor(sandbox),
		parameters: { filters: {}, options: {}, ...parameters },
		...(nodeStaticData ? { nodeStaticData } : {}),
		...more,
	});
const look: (...args: Parameters<typeof looks>) => ReturnType<ReturnType<typeof looks>> = async (...args) =>
	await looks(...args)();
const deposit = (amount: string) =>
	answer(sandbox, {
		resource: 'simulation',
		operation: 'fiatDeposit',
		email: 'trader@sandbox.test',
		amount,
		currency: 'NGN',
	});
const transactions = { event: 'transaction' };
const settled = () => sandbox.advance(1_000);

describe('the alert trigger', () => {
	it.each(['yes', '', 1])('the alert trigger refuses %j as a yes or no', async (initial) => {
		const balance = { event: 'balance', currency: 'NGN', threshold: '1.00', direction: 'below' };
		await expect(look({ ...balance, options: { initial } })).rejects.toThrow('Tell Also If Already Past It');
	});
});

describe('the alert trigger on transactions', () => {
	it('the alert trigger takes the transactions of its first poll as old, then reports each new one once', async () => {
		await deposit('10.00');
		settled();
		const first = await look(transactions);
		expect(first.items).toEqual([]);
		await deposit('20.00');
		settled();
		const second = await look(transactions, first.staticData);
		expect(second.items).toEqual([expect.objectContaining({ amount: '20.00', change: 'new', previous_status: null })]);
		expect((await look(transactions, second.staticData)).items).toEqual([]);
	});

	it('the alert trigger reports each change of a status once, for the same transaction (checklist 50)', async () => {
		const before = await look(transactions);
		await deposit('10.00');
		const pending = await look(transactions, before.staticData);
		settled();
		const done = await look(transactions, pending.staticData);
		const seen = [...pending.items, ...done.items];
		expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
		expect(seen.map(({ change, previous_status, status }) => [change, previous_status, status])).toEqual([
			['new', null, 'pending'],
			['status', 'pending', 'completed'],
		]);
	});

	it('the alert trigger reports a new transaction once, though n8n begins a poll while another still reads', async () => {
		const { staticData } = await look(transactions);
		await deposit('10.00');
		settled();
		const again = looks(transactions, staticData);
		const both = await Promise.all([again(), again()]);
		expect(both.flatMap(({ items }) => items)).toEqual([expect.objectContaining({ amount: '10.00' })]);
		await deposit('20.00');
		settled();
		expect((await again()).items).toEqual([expect.objectContaining({ amount: '20.00' })]);
	});

	it('the alert trigger polls again after a failed poll', async () => {
		const { staticData } = await look(transactions);
		await deposit('10.00');
		const again = looks(transactions, staticData);
		sandbox.faults.arm({ kind: 'forbidden' });
		await expect(again()).rejects.toThrow('The key may not do this');
		expect((await again()).items).toHaveLength(1);
	});

	it('the alert trigger follows all transactions and reports those that match the filters', async () => {
		const before = await look(transactions);
		await deposit('10.00');
		settled();
		const filters = (currency: string) => ({
			...transactions,
			filters: { currency: pick(currency), status: ['completed'] },
		});
		expect((await look(filters('USD'), before.staticData)).items).toEqual([]);
		expect((await look(filters('NGN'), before.staticData)).items).toHaveLength(1);
	});

	it('the alert trigger keeps its memory when a poll fails', async () => {
		const before = await look(transactions);
		await deposit('10.00');
		sandbox.faults.arm({ kind: 'forbidden' });
		await expect(look(transactions, before.staticData)).rejects.toThrow('The key may not do this');
		expect((await look(transactions, before.staticData)).items).toHaveLength(1);
	});

	it('the alert trigger starts afresh for another account or other settings', async () => {
		await deposit('10.00');
		const foreign = seal(
			{ about: 'someone else', state: { version: 1, known: [], turn: 0 } },
			1,
		) as unknown as IDataObject;
		expect((await look(transactions, foreign)).items).toEqual([]);
	});

	it('the alert trigger answers an editor test with the latest real transaction, or says that there is none', async () => {
		await expect(look(transactions, undefined, { mode: 'manual' })).rejects.toThrow('no transaction');
		await deposit('10.00');
		const { items, staticData } = await look(transactions, undefined, { mode: 'manual' });
		expect(items).toEqual([expect.objectContaining({ amount: '10.00' })]);
		expect(staticData).toEqual({});
	});
});

describe('the alert trigger on balances', () => {
	const line = { event: 'balance', currency: pick('NGN'), threshold: '49000000.00', direction: 'below' };
	/** An order is answered once it is in the book, for which the clock of the sandbox has to go on. */
	const whileTimePasses = async <T>(answered: Promise<T>): Promise<T> => {
		let isOver = false;
		const over = answered.finally(() => (isOver = true));
		await until(() => (sandbox.advance(1_000), isOver), { what: 'the answer' });
		return await over;
	};
	/** Locks funds with an order that will not trade. */
	const lock = async (quantity: string) => {
		const { order_id } = await whileTimePasses(answer(sandbox, { ...limitOrder, quantity }));
		await available('48000000.00');
		return String(order_id);
	};
	const available = async (amount: string) =>
		await until(
			async () => {
				sandbox.advance(1_000);
				const ngn = { resource: 'wallet', operation: 'getBalances', options: { currency: 'NGN' } };
				return (await answer(sandbox, ngn))['available'] === amount;
			},
			{ what: `${amount} available` },
		);
	/** Releases the funds again. */
	const free = async (order_id: string) => {
		await whileTimePasses(answer(sandbox, { resource: 'order', operation: 'cancel', pair_id: 'USD/NGN', order_id }));
		await available('50000000.00');
	};

	it('the alert trigger reports a crossed balance once, and again only after the balance came back', async () => {
		const first = await look(line);
		expect(first.items).toEqual([]);
		const order = await lock('2000.00');
		const crossed = await look(line, first.staticData);
		expect(crossed.items).toEqual([
			expect.objectContaining({ currency: 'NGN', crossing: 'below', threshold: '49000000.00', value: '48000000.00' }),
		]);
		const still = await look(line, crossed.staticData);
		expect(still.items).toEqual([]);
		await free(order);
		const back = await look(line, still.staticData);
		expect(back.items).toEqual([]);
		await lock('2000.00');
		expect((await look(line, back.staticData)).items).toHaveLength(1);
	});

	it('the alert trigger stays quiet while the balance moves within the hysteresis', async () => {
		const wide = { ...line, options: { hysteresis: '5000000.00' } };
		const first = await look(wide);
		const order = await lock('2000.00');
		const crossed = await look(wide, first.staticData);
		await free(order);
		const back = await look(wide, crossed.staticData);
		await lock('2000.00');
		expect((await look(wide, back.staticData)).items).toEqual([]);
	});

	it.each([
		[{ threshold: '60.000.000' }, 'Threshold must be digits with at most one point, without separators'],
		[{ options: { hysteresis: '-5' } }, 'Margin must be a positive number without a sign'],
	])('the alert trigger refuses the amount %j by the name of its field', async (parameters, words) => {
		const error = await look({ ...line, ...parameters }).then(
			() => undefined,
			(reason: NodeOperationError) => reason,
		);
		expect(error!.message).toContain(`Balance Crossing a Line: ${words}`);
		expect(error!.description).toContain('Enter an amount such as ');
	});

	it.each([
		['below', '1000', '999.99', '50000000.00', undefined],
		['above', '60000000.00', '60000000.01', '50000000.00', undefined],
		[
			'below',
			'60000000.00',
			'50000000.00',
			'60000000.00',
			/^The balance of NGN is below 60000000\.00 already: .* only with /,
		],
		['both', '1000', '50000000.00', '1000', undefined],
	])(
		'the alert trigger answers an editor test with an example that went %s %s, although nothing crossed',
		async (direction, threshold, value, previous, already) => {
			const crossing = direction === 'below' ? 'below' : 'above';
			const { items, staticData } = await look({ ...line, direction, threshold }, undefined, { mode: 'manual' });
			expect(items).toEqual([
				expect.objectContaining({
					...{ example: true, crossing, threshold, value, previous_value: previous },
					...{ currency: 'NGN', field: 'available', available: value },
					eventKey: expect.stringMatching(/^example:/),
				}),
			]);
			expect(staticData).toEqual({});
			const { available, locked, total } = items[0] as Record<string, string>;
			expect(Number(total)).toBe(Number(available) + Number(locked));
			expect(total).toMatch(/\.\d\d$/);
			expect(Object.keys(items[0]!)[0]).toBe('example');
			expect(items[0]!.already_past).toEqual(already && expect.stringMatching(already));
		},
	);

	it('the alert trigger answers an editor test for a currency the wallet lacks with the currencies it has', async () => {
		const unknown = { ...line, currency: pick('NGM') };
		await expect(look(unknown, undefined, { mode: 'manual' })).rejects.toThrow('no balance in NGM');
	});
});
