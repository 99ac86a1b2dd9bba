import type { CallContext } from '@partner-exchange/core';
import { drop, failure, quickClock, success, useWire, wireClient } from '../support/wire';

const DEPOSIT = 'POST /simulate/fiat/deposits';
const LIST = 'GET /partner/wallets/transactions';
const GET = 'GET /partner/wallets/transactions/t1';
const deposit = { email: 'trader@sandbox.test', amount: '500.00', currency: 'NGN' } as const;
const old = { id: 't0', currency: 'NGN', amount: '500.00', status: 'completed' };
const transaction = { id: 't1', currency: 'NGN', amount: '500', status: 'pending' };

const {
	wire,
	client,
	warnings,
	context: { warn },
} = useWire();
const context: CallContext = { options: { read_back: true }, warn };

describe('reading a simulated deposit back', () => {
	it.each([
		['by the id in the answer', { transaction_id: 't1' }],
		['by a nested id', { transaction: { id: 't1' } }],
		['by being new, when the answer shows no id', { accepted: true }],
	])('finds the transaction of a deposit %s, in any shape of the list', async (_, answer) => {
		wire.on(DEPOSIT, success(answer));
		wire.on(
			LIST,
			success({ transactions: [old] }),
			success([old]),
			failure(500, {}),
			success({ items: [transaction, old] }),
		);
		await expect(client.simulation.fiatDeposit(deposit, context)).resolves.toEqual({ ...answer, transaction });
		expect(wire.calls(DEPOSIT)).toHaveLength(1);
	});

	it('ends the search for the transaction after 30 seconds, says so, and does not call the deposit failed', async () => {
		const clock = quickClock();
		const began = clock.now();
		wire.on(DEPOSIT, success({ ok: true })).on(LIST, success({ transactions: [old] }));
		await expect(wireClient(wire, {}, clock).simulation.fiatDeposit(deposit, context)).resolves.toEqual({
			ok: true,
			transaction: null,
		});
		expect(clock.now() - began).toBe(30_000);
		expect(wire.calls(LIST)).toHaveLength(61);
		expect(warnings[0]!.text).toContain('did not appear within 30 seconds');
		await expect(client.simulation.fiatDeposit(deposit, { options: { read_back: true } })).resolves.toMatchObject({
			transaction: null,
		});
	});

	it.each([
		['cannot be read for a while', failure(500, {}), 'time_limit', 'Get Many Transactions: '],
		['shows no list', success({ page: 1 }), 'time_limit', 'No list was found in the answer'],
		['is refused to the key', failure(403, {}), 'unreadable', 'Get Many Transactions: '],
	])('says where it could not look, where the list %s', async (_, answer, ended, problem) => {
		wire.on(DEPOSIT, success({ ok: true })).on(LIST, success([old]), answer);
		const options = { wait_settled: true } as const;
		const done = await wireClient(wire, {}, quickClock()).simulation.fiatDeposit(deposit, { ...context, options });
		const text = expect.stringContaining(problem) as string;
		expect(done).toMatchObject({ transaction: null, wait: { until: 'settled', reached: false, ended, problem: text } });
		expect(warnings.at(-1)).toMatchObject({ kind: 'not_checked', text });
	});

	it('takes one transaction for one deposit, also where two are equal and the list lags', async () => {
		const second = { ...transaction, id: 't2' };
		wire.on(DEPOSIT, success({ ok: true }));
		wire.on(
			LIST,
			success([old]),
			success([old]),
			success([transaction, old]),
			success([transaction, old]),
			success([second, transaction, old]),
		);
		const found = await Promise.all([1, 2].map(() => client.simulation.fiatDeposit(deposit, context)));
		expect(found.map((answer) => (answer as { transaction: { id: string } }).transaction.id).sort()).toEqual([
			't1',
			't2',
		]);
		wire.on(
			LIST,
			success([old]),
			success([second, transaction, old]),
			success([{ ...second, id: 't3' }, second, transaction, old]),
		);
		await expect(client.simulation.fiatDeposit(deposit, context)).resolves.toMatchObject({ transaction: { id: 't3' } });
	});

	it('never sends a deposit twice when its reply is lost', async () => {
		wire.on(DEPOSIT, drop);
		await expect(client.simulation.fiatDeposit(deposit)).rejects.toMatchObject({ code: 'outcome_unknown' });
		expect(wire.calls(DEPOSIT)).toHaveLength(1);
	});
});

describe('a deposit that a step of a flow asks for', () => {
	const ask = (intent?: string, amount = '500.00') => client.simulation.fiatDeposit({ ...deposit, amount }, { intent });

	it('is sent once for the step, and a retry gets the same answer', async () => {
		wire.on(DEPOSIT, ...['t1', 't2', 't3', 't4', 't5'].map((id) => success({ id })));
		expect(await Promise.all([ask('step-1'), ask('step-1')])).toEqual([{ id: 't1' }, { id: 't1' }]);
		expect(await ask('step-1')).toEqual({ id: 't1' });
		expect(await ask('step-2')).toEqual({ id: 't2' });
		expect(await ask('step-1', '6.00')).toEqual({ id: 't3' });
		expect([await ask(), await ask()]).toEqual([{ id: 't4' }, { id: 't5' }]);
	});

	it('is refused while the outcome of an earlier try is unknown, and sent again after a refusal', async () => {
		wire.on(DEPOSIT, drop);
		await expect(ask('step-1')).rejects.toMatchObject({ code: 'outcome_unknown' });
		await expect(ask('step-1')).rejects.toMatchObject({
			...{ code: 'outcome_unknown', message: expect.stringContaining('this try sent nothing') as string },
		});
		expect(wire.calls(DEPOSIT)).toHaveLength(1);
		wire.on(DEPOSIT, failure(400, {}), success({ id: 't1' }));
		await expect(ask('step-2')).rejects.toMatchObject({ code: 'refused' });
		expect(await ask('step-2')).toEqual({ id: 't1' });
	});
});

describe('a wait for a transaction', () => {
	const options = { wait_settled: true } as const;
	const wait = (ended: string, problem: string) => ({
		...{ until: 'settled', reached: false, ended, problem: expect.stringContaining(problem) as string },
	});

	it.each([
		['cannot be read', failure(500, {}), 'time_limit', 'Get Transaction: '],
		['is not found any more', failure(404, {}), 'time_limit', 'Get Transaction: '],
		['shows no status', success({ id: 't1' }), 'time_limit', 'shows no status of the transaction t1'],
		['is no record', success([]), 'time_limit', 'The answer shows nothing of it'],
		['is refused to the key', failure(401, {}), 'unreadable', 'Get Transaction: '],
	])('keeps what it read last, and says what is wrong, where the record %s', async (_, answer, ended, problem) => {
		wire.on(GET, success(transaction), answer);
		const read = await wireClient(wire, {}, quickClock()).transaction.get({ transaction_id: 't1' }, { options });
		expect(read).toMatchObject({ ...transaction, wait: wait(ended, problem) });
	});

	it('finds the status of a record that is under its name', async () => {
		const settled = { ...transaction, status: 'completed' };
		wire.on(GET, success({ transaction }), failure(500, {}), success({ transaction: settled }));
		const read = await wireClient(wire, {}, quickClock()).transaction.get({ transaction_id: 't1' }, { options });
		expect(read).toMatchObject({ ...settled, wait: { reached: true } });
		expect(read).not.toHaveProperty('wait.problem');
	});
});

describe('a record just made', () => {
	it('reads a transaction again that is read before it appears', async () => {
		wire.on(GET, failure(404, { message: 'not found' }), failure(404, {}), success(transaction));
		await expect(client.transaction.get({ transaction_id: 't1' })).resolves.toEqual(transaction);
	});

	it('reads an order again that is read before it appears', async () => {
		wire.on('GET /partner/exchange/orders/o1', failure(404, {}), success({ id: 'o1' }));
		await expect(client.order.get({ order_id: 'o1' })).resolves.toEqual({ id: 'o1' });
	});

	it('ends the reads of a missing record within two seconds', async () => {
		const clock = quickClock();
		const began = clock.now();
		wire.on('GET /partner/exchange/orders/o1', failure(404, {}));
		await expect(wireClient(wire, {}, clock).order.get({ order_id: 'o1' })).rejects.toMatchObject({
			code: 'not_found',
		});
		expect(clock.now() - began).toBeLessThanOrEqual(2_000);
	});
});
