/** The alert trigger in n8n's engine: what it tells, what n8n stores of it, and who hears that it cannot look. */
import { seal } from '@partner-exchange/core/adapters';
import type { IDataObject, NodeOperationError } from 'n8n-workflow';
import { startSandbox } from '@partner-exchange/sandbox';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { startPolls, type TriggerOptions } from '../support/engine-trigger';
import { makeFill } from '../support/fills';
import { answer, credentialFor, pick } from './exchange';
import { forEach } from '../support/opened';

describe('the alert trigger', () => {
	const sandbox = forEach(() => startSandbox({ clock: 'virtual', settings: { orderDelayMs: 0 } }));
	let tests = 0;
	beforeEach(async () => {
		// The clock stands still, so that no transaction settles unnoticed.
		tests += 1;
	});

	/** The polls of one activation of one workflow. */
	const looks = (parameters: IDataObject, more: TriggerOptions = {}, credential: IDataObject = {}) =>
		startPolls(PartnerExchangeAlertTrigger, {
			...credentialFor(sandbox, credential),
			parameters: { filters: {}, options: {}, ...parameters },
			workflowId: `wallet-${tests}`,
			...more,
		});
	/** A trigger in an n8n that is stopped and started again before each poll, so that it knows only what was stored. */
	function restarting(parameters: IDataObject) {
		let stored: IDataObject | undefined;
		let writes = 0;
		const poll = async (credential: IDataObject = {}, other: IDataObject = parameters): Promise<IDataObject[]> => {
			const polled = await looks(other, stored ? { nodeStaticData: stored } : {}, credential)();
			if (polled.stored) writes += 1;
			stored = polled.stored ?? stored;
			return polled.items;
		};
		return { poll, writes: () => writes };
	}
	const simulate = async (operation: string, amount: string): Promise<void> => {
		const fields = { email: 'trader@sandbox.test', amount, currency: 'NGN' };
		await answer(sandbox, { resource: 'simulation', operation, ...fields });
	};
	const settled = (): void => void sandbox.advance(1_000);
	const deposit = async (amount: string): Promise<void> => {
		await simulate('fiatDeposit', amount);
		settled();
	};
	const refuse = (): void => void sandbox.faults.arm({ kind: 'unauthorized', times: 1_000_000 });
	const amounts = (items: IDataObject[]): unknown[] => items.map(({ amount }) => amount);

	const transactions = { event: 'transaction' };
	const above = { event: 'balance', currency: pick('NGN'), threshold: '50000500.00', direction: 'above' };
	const rate = { event: 'rate', pair_id: pick('USD/NGN'), threshold: '1650.00', direction: 'above' };

	it('takes what its first poll shows as old, then reports each transaction and each change of a status once', async () => {
		await deposit('10.00');
		const trigger = restarting(transactions);
		expect(await trigger.poll()).toEqual([]);
		await simulate('fiatDeposit', '20.00');
		const pending = await trigger.poll();
		settled();
		const seen = [...pending, ...(await trigger.poll())];
		expect(await trigger.poll()).toEqual([]);
		expect(
			seen.map(({ amount, change, previous_status, status }) => [amount, change, previous_status, status]),
		).toEqual([
			['20.00', 'new', null, 'pending'],
			['20.00', 'status', 'pending', 'completed'],
		]);
	});

	it('reports a new transaction once, though n8n begins a poll while another still reads, or one fails', async () => {
		const { staticData } = await looks(transactions)();
		await deposit('10.00');
		const again = looks(transactions, { nodeStaticData: staticData });
		sandbox.faults.arm({ kind: 'forbidden' });
		await expect(again()).rejects.toThrow('The key may not do this');
		const both = await Promise.all([again(), again()]);
		expect(amounts(both.flatMap(({ items }) => items))).toEqual(['10.00']);
		await deposit('20.00');
		expect(amounts((await again()).items)).toEqual(['20.00']);
	});

	it('reports what matches the filters, knows the rest, and stores nothing in a poll that learned nothing', async () => {
		const failed = { ...transactions, filters: { currency: pick('NGN'), status: ['failed'] } };
		const trigger = restarting(failed);
		await trigger.poll();
		await simulate('fiatDeposit', '10.00');
		expect(await trigger.poll()).toEqual([]);
		settled();
		expect(await trigger.poll()).toEqual([]);
		expect(trigger.writes()).toBe(3);
		expect(await trigger.poll()).toEqual([]);
		expect(trigger.writes()).toBe(3);
		// A wider filter does not tell as new what the narrower one had rejected.
		await deposit('20.00');
		expect(amounts(await trigger.poll({}, transactions))).toEqual(['20.00']);
	});

	it('tells each crossing of a balance once, though it came back in a poll that told nothing', async () => {
		const trigger = restarting(above);
		expect(await trigger.poll()).toEqual([]);
		for (let times = 0; times < 2; times += 1) {
			await deposit('1000.00');
			expect(await trigger.poll()).toMatchObject([
				{ currency: 'NGN', crossing: 'above', threshold: '50000500.00', value: '50001000.00' },
			]);
			expect(await trigger.poll()).toEqual([]);
			await simulate('fiatWithdrawal', '1000.00');
			settled();
			expect(await trigger.poll()).toEqual([]);
		}
	});

	it('tells each crossing of a rate once, with the fields that Create Order asks for, and of none within the margin', async () => {
		const [trigger, wide] = [restarting(rate), restarting({ ...rate, options: { hysteresis: '20.00' } })];
		const told: IDataObject[][] = [[], []];
		for (const price of ['1600.00', '1651.00', '1640.00', '1651.00', '1630.00', '1651.00']) {
			await makeFill(sandbox, price);
			told[0]!.push(...(await trigger.poll()));
			told[1]!.push(...(await wide.poll()));
		}
		expect(told.map((items) => items.length)).toEqual([3, 2]);
		expect(told[0]![0]).toMatchObject({
			...{ pair_id: 'USD/NGN', field: 'last_price', threshold: '1650.00', crossing: 'above' },
			...{ value: '1651.00', previous_value: '1600.00', last_price: '1651.00' },
			eventKey: expect.stringMatching(/^rate:/) as string,
		});
		expect(await trigger.poll({}, { ...above, threshold: '1.00' })).toEqual([]);
	});

	it('gives what two main processes of n8n tell the same key, whatever it watches', async () => {
		const watched: IDataObject[] = [above, transactions];
		const began = await Promise.all(watched.map(async (each) => (await looks(each)()).stored!));
		await deposit('1000.00');
		for (const [at, each] of watched.entries()) {
			const begin = async () => await looks(each, { nodeStaticData: began[at]! })();
			const keys = (await Promise.all([begin(), begin()])).flatMap(({ items }) =>
				items.map((item) => item['eventKey']),
			);
			expect(keys).toHaveLength(2);
			expect(new Set(keys).size).toBe(1);
		}
	});

	it('begins from now with the key of another account, and goes on with every key of its own, also after that', async () => {
		const trigger = restarting(transactions);
		await trigger.poll();
		await deposit('10.00');
		expect(amounts(await trigger.poll({ apiKey: 'sandbox-key-wallet-read' }))).toEqual(['10.00']);
		const other = { resource: 'simulation', operation: 'fiatDeposit', email: 'second@sandbox.test', currency: 'NGN' };
		await answer(sandbox, { ...other, amount: '3.00' });
		settled();
		expect(await trigger.poll({ apiKey: 'sandbox-key-second' })).toEqual([]);
		await deposit('20.00');
		await answer(sandbox, { ...other, amount: '4.00' });
		settled();
		expect(amounts(await trigger.poll({ apiKey: 'sandbox-key-second' }))).toEqual(['4.00']);
		expect(amounts(await trigger.poll())).toEqual(['20.00']);
	});

	it('begins with new transactions where another version stored it, and reports nothing where that is damaged', async () => {
		await deposit('1.00');
		const { value, ...rest } = (await looks(transactions)()).staticData;
		await deposit('2.00');
		const anew = await looks(transactions, { nodeStaticData: seal(value, 99) as never })();
		expect(anew.items).toEqual([]);
		await deposit('3.00');
		expect(amounts((await looks(transactions, { nodeStaticData: anew.staticData })()).items)).toEqual(['3.00']);
		const damaged = { ...rest, value: { ...(value as object), a: 1 } };
		await expect(looks(transactions, { nodeStaticData: damaged })()).rejects.toThrow(
			/is damaged.*Put a copy of the node in its place/,
		);
	});

	describe('whose key is refused', () => {
		it.each(['init', 'leadershipChange'] as const)(
			'goes on where n8n starts it, fails once where the key stays refused, and reports a deposit made meanwhile once: %s',
			async (activation) => {
				const { staticData } = await looks(transactions)();
				await deposit('10.00');
				refuse();
				const poll = looks(transactions, { activation, nodeStaticData: staticData });
				expect((await poll()).items).toEqual([]);
				await expect(poll()).rejects.toThrow('does not know this key');
				expect((await poll()).items).toEqual([]);
				sandbox.faults.disarm();
				expect(amounts((await poll()).items)).toEqual(['10.00']);
				refuse();
				await expect(poll()).rejects.toThrow('does not know this key');
			},
		);

		it.each(['activate', 'update'] as const)('fails at once where a person publishes it: %s', async (activation) => {
			refuse();
			for (let times = 0; times < 2; times += 1)
				await expect(looks(transactions, { activation })()).rejects.toThrow('does not know this key');
		});
	});

	describe('tested in the editor', () => {
		const test = async (parameters: IDataObject) => await looks(parameters, { mode: 'manual' })();

		it('answers with the latest real transaction, or says that the account has no transaction, and stores nothing', async () => {
			await expect(test(transactions)).rejects.toThrow('no transaction');
			await deposit('10.00');
			const { items, staticData } = await test(transactions);
			expect([amounts(items), staticData]).toEqual([['10.00'], {}]);
		});

		it.each([
			['below', '1000', '999.99', '50000000.00', undefined],
			['above', '60000000.00', '60000000.01', '50000000.00', undefined],
			['below', '60000000.00', '50000000.00', '60000000.00', /^The balance of NGN is below 60000000\.00 already: /],
		])(
			'answers with an example that went %s %s, although nothing crossed',
			async (direction, threshold, value, previous, already) => {
				const { items, staticData } = await test({ ...above, direction, threshold });
				expect(items).toEqual([
					expect.objectContaining({
						...{ example: true, crossing: direction, threshold, value, previous_value: previous },
						...{ currency: 'NGN', field: 'available', available: value },
						eventKey: expect.stringMatching(/^example:/),
					}),
				]);
				expect(staticData).toEqual({});
				expect(items[0]!['already_past']).toEqual(already && expect.stringMatching(already));
			},
		);

		it('answers with an example of a rate, where no trade was made yet too', async () => {
			expect((await test(rate)).items).toMatchObject([{ example: true, crossing: 'above', value: '1650.01' }]);
			await makeFill(sandbox, '1651.00');
			expect((await test(rate)).items).toMatchObject([{ example: true, value: '1651.00' }]);
		});
	});

	it.each<[IDataObject, string]>([
		[{ ...above, threshold: '60.000.000' }, 'Balance Crossing a Line: Threshold must be digits with at most one point'],
		[{ ...above, options: { hysteresis: '-5' } }, 'Margin must be a positive number without a sign'],
		[{ ...above, options: { initial: 'yes' } }, 'Tell Also If Already Past It'],
		[{ ...above, currency: pick('NGM') }, 'no balance in NGM. Choose one of NGN, USD'],
		[{ ...rate, threshold: '1.650,00' }, 'Rate must be digits with at most one point'],
		[{ ...rate, threshold: '' }, 'Rate is empty'],
		[{ ...rate, pair_id: pick('') }, 'Pair is missing'],
		[{ ...rate, options: { hysteresis: '1650.00' } }, 'only one crossing would ever count'],
		[{ ...rate, options: { Margin: '5.00', direction: 'above' } }, 'There is no option named direction'],
		[{ event: 'transaction', filters: { status: '={{ null }}' } }, 'The expression of Status found nothing'],
		[{ event: 'transaction', filters: { currency: '={{ " " }}' } }, 'The expression of Currency found nothing'],
		[{ ...above, options: { hysteresis: '={{ null }}' } }, 'The expression of Margin found nothing'],
		[{ ...above, options: { tell_also_if_already_past_it: true } }, 'There is no option named tell_also'],
	])('is refused as %j by the name of its field', async (parameters, words) => {
		const error = await looks(parameters)().then(
			() => undefined,
			(reason: NodeOperationError) => reason,
		);
		expect(error!.message).toContain(words);
	});
});
