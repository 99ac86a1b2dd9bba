import { ExchangeError, type ErrorCode, type Item } from '@partner-exchange/core';
import { createOrderList } from '../../../packages/core/src/orders/lookup/list';
import { isNamed } from '../../../packages/core/src/orders/identity';
import { createReadings, type Seen } from '../../../packages/core/src/orders/lookup/readings';
import type { Read } from '../../../packages/core/src/context';
import { quickClock } from '../../support/wire';

const statuses = ['pending', 'accepted', 'partially_filled', 'filled', 'cancelled', 'rejected', 'expired'];
const open: Item = { id: 'o1', client_order_id: 'theirs', status: 'accepted' };
const mine: Item = { id: 'o2', client_order_id: 'mine', status: 'filled' };
const refusedBy = (code: ErrorCode) => new ExchangeError(code, { what: 'simulated' });

const lookIn = (read: Read): Promise<Seen> =>
	createOrderList({
		read,
		ports: { clock: quickClock() },
		name: 'a',
		readings: createReadings(),
		service: { at: () => undefined },
	}).look({ name: 'mine', matches: isNamed('mine'), isThorough: true });

/** Looks for an order in a list that answers so to each status. */
async function looked(answer: (status: string | undefined) => Item[] | Error) {
	const requests: unknown[] = [];
	const read = (_: string, { status, offset }: Item): Promise<Item> => {
		const row = answer(status as string | undefined);
		if (offset === 0) requests.push(status);
		if (row instanceof Error) return Promise.reject(row);
		return Promise.resolve({ count: row.length, orders: offset === 0 ? row : [] });
	};
	const seen = await lookIn(read);
	return { seen, requests };
}

describe('a thorough lookup by status', () => {
	it('asks for no status where the list shows an order that is over', async () => {
		const { seen, requests } = await looked(() => [{ ...open, status: 'filled' }]);
		expect([seen, requests]).toEqual([{ orders: [], facts: {} }, [undefined]]);
	});

	it('asks for each status by name where the list shows open orders alone', async () => {
		const { seen, requests } = await looked((status) => (status === undefined || status === 'accepted' ? [open] : []));
		expect([seen, requests]).toEqual([{ orders: [], facts: {} }, [undefined, ...statuses]]);
	});

	it('ends with the first status that shows the order', async () => {
		const { seen, requests } = await looked((status) =>
			status === 'filled' ? [mine] : status === undefined || status === 'accepted' ? [open] : [],
		);
		expect(seen).toEqual({ orders: [mine] });
		expect(requests).toEqual([undefined, ...statuses.slice(0, 4)]);
	});

	it.each<[string, () => Item[] | Error]>([
		['shows others', () => [open]],
		['refuses the filter', () => refusedBy('refused')],
		['knows no filter', () => refusedBy('not_found')],
	])('proves no absence where a list of open orders %s', async (_, filtered) => {
		const { seen } = await looked((status) => (status === undefined ? [open] : filtered()));
		expect(seen).toEqual({
			orders: [],
			facts: { gap: 'the list shows open orders and does not filter by status' },
		});
	});

	it('proves an absence where an empty list refuses the filter', async () => {
		const { seen } = await looked((status) => (status === undefined ? [] : refusedBy('not_found')));
		expect(seen).toEqual({ orders: [], facts: {} });
	});

	it('proves no absence where the list of one status counts more than it shows', async () => {
		const read = (_: string, { status, offset }: Item): Promise<Item> =>
			Promise.resolve({
				count: { filled: 3, accepted: 1 }[String(status)] ?? (status === undefined ? 1 : 0),
				orders: offset === 0 && (status === undefined || status === 'accepted') ? [open] : [],
			});
		const seen = await lookIn(read);
		expect(seen.facts).toEqual({ gap: 'the list counts 3 orders and shows 0' });
	});

	it('fails where the list of one status cannot be read', async () => {
		const answer = (status?: string) => (status === 'filled' ? refusedBy('timeout') : status ? [] : [open]);
		await expect(looked(answer)).rejects.toMatchObject({ code: 'timeout' });
	});
});
