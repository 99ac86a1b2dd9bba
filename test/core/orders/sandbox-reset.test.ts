import { ExchangeError, type Item } from '@partner-exchange/core';
import type { Outcome } from '../../../packages/core/src/orders/machine/state';
import { newIntent } from '../../../packages/core/src/orders/machine/state';
import { planOf } from '../../../packages/core/src/orders/plan';
import { recheckInSandbox } from '../../../packages/core/src/orders/sandbox-reset';

const order = {
	pair_id: 'USD/NGN',
	side: 'buy',
	order_type: 'limit',
	quantity: '1',
	price: '1',
	client_order_id: 'mine',
};
const sandbox = {
	environment: 'sandbox',
	baseUrl: 'http://127.0.0.1:1024/v1',
	wsUrl: 'ws://127.0.0.1:1024/v1/ws',
	apiKey: 'k',
};
const endedWith = (outcome: Outcome) => ({ outcome, state: newIntent(0) });
const accepted = endedWith({ is: 'accepted', result: { order_id: 'o1' }, by: 'answer' });
const failing = (code: 'not_found' | 'forbidden' | 'unauthorized' | 'unavailable') =>
	new ExchangeError(code, { what: 'simulated' });

interface Options {
	account?: object;
	ended?: typeof accepted;
	kind?: 'create' | 'cancel';
	row?: unknown;
	listed?: Item[] | Error;
	gap?: string;
}

/** The sandbox's responses for an accepted order, and how often it was read. */
async function recheck({ account = {}, ended = accepted, kind = 'create', row, listed = [], gap }: Options = {}) {
	const reads: unknown[] = [];
	const fields = kind === 'create' ? order : { pair_id: 'USD/NGN', order_id: 'o1' };
	const plan = planOf(`order.${kind}`, fields, {}, { ports: { newId: () => 'run' } });
	const facts = { gap };
	const deps = {
		account: { ...sandbox, ...account },
		read: (id: string, input: unknown) => {
			reads.push([id, input]);
			return row instanceof Error ? Promise.reject(row) : Promise.resolve(row);
		},
		list: {
			// What is read less than thoroughly may end before an old order.
			look: ({ matches, isThorough }: { matches: (order: Item) => boolean; isThorough: boolean }) => {
				if (listed instanceof Error) return Promise.reject(listed);
				const orders = isThorough ? listed.filter(matches) : [];
				return Promise.resolve({ orders, facts: orders.length > 0 ? undefined : facts });
			},
		},
	};
	return { state: await recheckInSandbox(ended, plan, deps as never), reads };
}

describe('an order that a sandbox once accepted', () => {
	it('keeps an accepted sandbox order while the sandbox shows it', async () => {
		const reads = [['order.get', { order_id: 'o1' }]];
		expect(await recheck({ row: { id: 'o1', client_order_id: 'mine' } })).toEqual({ state: 'exists', reads });
		expect(await recheck({ row: { id: 'o1' } })).toEqual({ state: 'exists', reads });
		expect(await recheck({ kind: 'cancel', row: { client_order_id: 'any' } })).toEqual({ state: 'exists', reads });
	});

	it.each([
		['is not found', failing('not_found')],
		['is another one by now', { id: 'o1', client_order_id: 'theirs' }],
	])('treats a sandbox order as gone if it %s and the list lacks it too', async (_, row) => {
		expect((await recheck({ row })).state).toBe('gone');
		expect((await recheck({ row, listed: [{ id: 'o2', client_order_id: 'mine' }] })).state).toBe('exists');
		expect((await recheck({ row, gap: 'too long' })).state).toBe('unclear');
		expect((await recheck({ row, listed: failing('unavailable') })).state).toBe('unclear');
	});

	it('treats a sandbox order that cannot be found as gone at once if the intent was a cancel', async () => {
		expect((await recheck({ kind: 'cancel', row: failing('not_found') })).state).toBe('gone');
	});

	it.each([
		['unavailable', 'unclear'],
		['forbidden', 'exists'],
		['unauthorized', 'exists'],
	] as const)('a sandbox order that is %s to read is %s', async (code, state) => {
		expect((await recheck({ row: failing(code) })).state).toBe(state);
	});

	it('passes an unexpected error of a sandbox check on', async () => {
		await expect(recheck({ row: new TypeError('a fault') })).rejects.toThrow('a fault');
	});

	it.each<[string, Options]>([
		['elsewhere', { account: { environment: 'staging' } }],
		['where nothing proves that it is a sandbox', { account: { baseUrl: 'https://exchange.invalid/v1' } }],
		['whose order nobody knows', { ended: endedWith({ is: 'accepted', result: {}, by: 'answer' }) }],
		['that was not accepted', { ended: endedWith({ is: 'unknown' }) }],
	])('does not check whether an order is gone %s', async (_, options) => {
		expect(await recheck({ ...options, row: failing('not_found') })).toEqual({ state: 'exists', reads: [] });
	});

	it('reads a sandbox order by its newest ID', async () => {
		const result = { order_id: 'o1', new_order_id: 'o2' };
		const ended = endedWith({ is: 'accepted', result, by: 'lookup' });
		expect((await recheck({ ended, row: {} })).reads).toEqual([['order.get', { order_id: 'o2' }]]);
	});
});
