import type { CallContext, Warning } from '@partner-exchange/core';
import { drop, failure, quickClock, success, useWire, wireClient } from '../support/wire';

const DEPOSIT = 'POST /simulate/fiat/deposits';
const CRYPTO = 'POST /simulate/crypto/deposits';
const LIST = 'GET /partner/wallets/transactions';
const GET = 'GET /partner/wallets/transactions/t1';
const deposit = { email: 'trader@sandbox.test', amount: '500.00', currency: 'NGN' } as const;
const old = { id: 't0', currency: 'NGN', amount: '500.00', status: 'completed' };
const transaction = { id: 't1', currency: 'NGN', amount: '500', status: 'pending' };

const { wire, client } = useWire();
let warnings: Warning[];
let context: CallContext;
beforeEach(() => {
	warnings = [];
	context = { options: { read_back: true }, warn: (warning) => warnings.push(warning) };
});

describe('reading a simulated deposit back', () => {
	it.each([
		['by the id in the answer', { transaction_id: 't1' }],
		['by a nested id', { transaction: { id: 't1' } }],
		['by being new, when the answer shows no id', { accepted: true }],
	])('finds the transaction of a deposit %s, in any shape of the list (checklist 94)', async (_, answer) => {
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

	it('finds the transaction of a stablecoin deposit by its rail (checklist 94)', async () => {
		const coins = { id: 't1', currency: 'USD', settlement_rail: 'USDT', amount: '5.00', status: 'completed' };
		wire
			.on(CRYPTO, success({}))
			.on(LIST, success([]), success([{ ...coins, id: 't2', settlement_rail: 'USDC' }, coins]));
		const answer = client.simulation.cryptoDeposit(
			{ email: deposit.email, chain: 'TRON', asset: 'USDT', amount: '5' },
			context,
		);
		await expect(answer).resolves.toEqual({ transaction: coins });
	});

	it('ends the search for the transaction after 30 seconds, says so, and does not call the deposit failed (checklist 94)', async () => {
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

	const find = async (answer: object, ...listed: object[]) => {
		wire.on(DEPOSIT, success(answer)).on(LIST, success([old]), success([...listed, old]));
		return await client.simulation.fiatDeposit(deposit, context);
	};
	const twin = { ...transaction, id: 't2' };

	it.each([
		[{ transaction_id: 't2' }],
		[{ id: 't2', transaction: { id: 't1' } }],
		[{ transaction: { id: 't2' } }],
		[{ transaction: null, deposit: { reference: 't2' } }],
		[{ transaction: 'text', data: { public_id: 't2' } }],
	])('chooses of two new transactions the one named in %j', async (answer) => {
		expect(await find(answer, transaction, twin)).toEqual({ ...answer, transaction: twin });
	});

	it('chooses a transaction that is named although it was listed before', async () => {
		expect(await find({ id: 't0' }, transaction)).toMatchObject({ transaction: old });
	});

	it.each([
		['another amount', { amount: '500.01' }],
		['another currency', { currency: 'USD' }],
		['another rail', { currency: undefined, settlement_rail: 'USDC' }],
		['another asset', { currency: undefined, asset: 'USDT' }],
	])('ignores a new transaction that shows %s', async (_, row) => {
		expect(await find({}, { ...transaction, ...row }, twin)).toMatchObject({ transaction: twin });
	});

	it.each([
		['no amount', { amount: undefined }],
		['an amount nobody can read', { amount: 'five hundred' }],
		['no currency', { currency: undefined }],
	])('accepts a new transaction that shows %s', async (_, row) => {
		expect(await find({}, { ...transaction, ...row })).toMatchObject({ transaction: { id: 't1' } });
	});

	it('ends the search when it is stopped, and the deposit stays done', async () => {
		const stop = new AbortController();
		wire.on(DEPOSIT, success({ ok: true }));
		wire.on(LIST, success([old]), (_, response) => {
			stop.abort();
			response.end(JSON.stringify({ status: 'success', data: [old] }));
		});
		const answer = await client.simulation.fiatDeposit(deposit, { ...context, signal: stop.signal });
		expect(answer).toEqual({ ok: true, transaction: null });
		expect(wire.calls(LIST)).toHaveLength(2);
	});

	it('refuses a deposit with read-back before sending when the account has no key to read with', async () => {
		const keyless = wireClient(wire, { apiKey: '' });
		await expect(keyless.simulation.fiatDeposit(deposit, context)).rejects.toMatchObject({ code: 'invalid_account' });
		expect(wire.received).toEqual([]);
	});

	it('reads no transaction back unless asked to', async () => {
		wire.on(DEPOSIT, success({ ok: true }));
		await expect(client.simulation.fiatDeposit(deposit)).resolves.toEqual({ ok: true });
		expect(wire.received).toHaveLength(1);
	});

	it('never sends a deposit twice when its reply is lost', async () => {
		wire.on(DEPOSIT, drop);
		await expect(client.simulation.fiatDeposit(deposit)).rejects.toMatchObject({ code: 'outcome_unknown' });
		expect(wire.calls(DEPOSIT)).toHaveLength(1);
	});
});

describe('a record just made', () => {
	it('reads a transaction again that is read before it appears (checklist 51)', async () => {
		wire.on(GET, failure(404, { message: 'not found' }), failure(404, {}), success(transaction));
		await expect(client.transaction.get({ transaction_id: 't1' })).resolves.toEqual(transaction);
	});

	it('reads an order again that is read before it appears (checklist 155)', async () => {
		wire.on('GET /partner/exchange/orders/o1', failure(404, {}), success({ id: 'o1' }));
		await expect(client.order.get({ order_id: 'o1' })).resolves.toEqual({ id: 'o1' });
	});

	it('ends the reads of a missing record within two seconds (checklist 155)', async () => {
		const clock = quickClock();
		const began = clock.now();
		wire.on('GET /partner/exchange/orders/o1', failure(404, {}));
		await expect(wireClient(wire, {}, clock).order.get({ order_id: 'o1' })).rejects.toMatchObject({
			code: 'not_found',
		});
		expect(clock.now() - began).toBeLessThanOrEqual(2_000);
	});
});
