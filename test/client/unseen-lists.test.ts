/** A list in a shape that is not known: no list found is no answer. */
import { pollTransactions } from '@partner-exchange/core';
import { success, useWire } from '../support/wire';

const TRANSACTIONS = 'GET /partner/wallets/transactions';
const { wire, client } = useWire();
const row = { id: 't1', status: 'pending' };

describe('an answer in which no list is found', () => {
	it.each([
		['two lists', { deposits: [row], withdrawals: [row] }, 'deposits, withdrawals'],
		['records by their id', { t1: row, t2: row }, 't1, t2'],
		['no list at all', { version: 3, note: 'see the new endpoint' }, 'version, note'],
	])('is no empty list, and its fields are named: %s', async (_, data, fields) => {
		wire.on(TRANSACTIONS, success(data));
		const refusal = {
			code: 'malformed_response',
			what: `No list was found in the answer, which has the fields ${fields}`,
		};
		await expect(client.page('transaction.list', {})).rejects.toMatchObject(refusal);
		await expect(client.items('transaction.list', {}).next()).rejects.toMatchObject(refusal);
		await expect(pollTransactions(client, undefined)).rejects.toMatchObject(refusal);
	});

	it('names ten fields, each shortened', async () => {
		const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`.padEnd(100, 'x'), index]));
		wire.on(TRANSACTIONS, success(many));
		const { what } = (await client.page('transaction.list', {}).catch((error: unknown) => error)) as { what: string };
		expect(what.length).toBeLessThan(600);
		expect(what).not.toContain('f10');
	});

	it.each([
		['nothing', {}],
		['null', { transactions: null }],
		['a count of nought', { count: 0 }],
		['an empty list', { transactions: [] }],
	])('is empty where it says so: %s', async (_, data) => {
		wire.on(TRANSACTIONS, success(data));
		expect(await client.page('transaction.list', {})).toEqual([]);
	});
});
