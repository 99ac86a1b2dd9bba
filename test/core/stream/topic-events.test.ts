import type { Item } from '@partner-exchange/core';
import { eventsOf, topicOf } from '../../../packages/core/src/stream/topics';
import { digest, recordsIn, sequenceOf, timeOf } from '../../../packages/core/src/stream/topics/event';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import { orders } from '../../../packages/core/src/stream/topics/orders';

const AT = '2026-01-05T09:00:00.000Z';
const isKnown = (item: Item) => item.known === true;

describe('the records of a payload', () => {
	const record = { known: true, id: '1' };

	it.each<[string, unknown, unknown[]]>([
		['bare', record, [record]],
		['under its own name', { thing: record }, [record]],
		['in a wrapper', { payload: record }, [record]],
		['under its own name before a wrapper', { data: { id: '2' }, thing: record }, [record]],
		['in lists of lists', [[record], [record, record]], [record, record, record]],
		['four levels down', { data: { items: [record] } }, [record]],
		['as it is where nothing in it is a record', { id: '2' }, [{ id: '2' }]],
		['not where a wrapper holds a text', { data: 'text', id: '2' }, [{ data: 'text', id: '2' }]],
		['not where a wrapper holds nothing', { data: null }, [{ data: null }]],
		['nowhere in a text', 'text', []],
		['nowhere in an empty list', [], []],
		['and no deeper than four levels', [[[[record]]]], []],
		['nor behind four wrappers', { data: { data: { data: { data: record } } } }, []],
	])('finds the records of a payload %s', (_, payload, records) => {
		expect(recordsIn(payload, ['thing'], isKnown)).toEqual(records);
	});

	it.each(['data', 'payload', 'item', 'items', 'record', 'records', 'result', 'results'])(
		'finds the records of a payload under %s',
		(name) => {
			expect(recordsIn({ [name]: record }, [], isKnown)).toEqual([record]);
		},
	);
});

describe('what a record says of its place', () => {
	it.each(['created_at', 'executed_at', 'filled_at', 'timestamp', 'time', 'ts'])(
		'reads the time of a record under %s',
		(name) => {
			expect(timeOf({ [name]: AT })).toBe(Date.parse(AT));
		},
	);

	it('reads the first time of a record, as text or number', () => {
		expect(timeOf({ created_at: '', executed_at: AT, ts: 5 })).toBe(Date.parse(AT));
		expect(timeOf({ created_at: 1_767_603_601, ts: AT })).toBe(1_767_603_601_000);
		expect(timeOf({ created_at: null, time: { at: AT } })).toBeUndefined();
	});

	it('reads the number of a record, whole and exact', () => {
		expect([1, '2', 0, '0'].map((sequence) => sequenceOf({ sequence }))).toEqual([1, 2, 0, 0]);
		expect(['', 1.5, '1.5', 'x', null, 1e21, [1]].map((sequence) => sequenceOf({ sequence }))).toEqual(Array(7));
		expect([sequenceOf('5'), sequenceOf(undefined), sequenceOf([{ sequence: 1 }])]).toEqual(Array(3));
	});

	it('names a record by its content, whatever the order of its fields, and however deep', () => {
		expect(digest({ a: 1, b: { c: 2, d: 3 } })).toBe(digest({ b: { d: 3, c: 2 }, a: 1 }));
		expect(digest({ a: 1, b: 2 })).not.toBe(digest({ a: 2, b: 1 }));
		expect(digest([1, 2])).not.toBe(digest([2, 1]));
		expect([digest('a'), digest(undefined)].map(({ length }) => length)).toEqual([16, 16]);
		expect(digest('a')).not.toBe(digest('b'));
		let deep: unknown = {};
		for (let level = 0; level < 20_000; level += 1) deep = { deep };
		expect(digest(deep)).toHaveLength(16);
	});
});

describe('a fill', () => {
	const fill = { order_id: 'o', price: '1500', quantity: '10.0', side: 'buy', created_at: AT };

	it('knows a fill by the most telling of its identifiers, and by the others too', () => {
		expect(fills.identify({ ...fill, id: 'a', fill_id: 'b', execution_id: 'c', trade_id: 'd' })).toMatchObject({
			key: 'fill:b:o',
			aliases: ['fill:c:o', 'fill:a:o', 'fill:d:o'],
			fill: { orderId: 'o', quantity: '10' },
			time: Date.parse(AT),
		});
		expect(fills.identify({ ...fill, order_id: undefined, trade_id: 'd', id: '' })).toMatchObject({
			key: 'fill:d',
			fill: undefined,
		});
		expect(fills.identify({ ...fill, id: 'a' })).not.toHaveProperty('isAnonymous');
	});

	it.each(['quantity', 'filled_quantity', 'fill_quantity', 'amount', 'size', 'qty'])(
		'reads the quantity of a fill under %s',
		(name) => {
			expect(fills.identify({ order_id: 'o', [name]: '2.50' })).toMatchObject({
				fill: { orderId: 'o', quantity: '2.5' },
			});
		},
	);

	it('knows a fill without an identifier by its order, price and quantity', () => {
		const stored = fills.identify(fill);
		expect(stored).toMatchObject({ isAnonymous: true, key: expect.stringMatching(/^fill:.{16}$/) });
		expect(fills.identify({ ...fill, fee: '5', quantity: '10' }).key).toBe(stored.key);
		expect(fills.identify({ ...fill, side: 'BUY' }).key).toBe(stored.key);
		for (const other of [
			{ order_id: 'p' },
			{ side: 'sell' },
			{ price: '1501' },
			{ quantity: '9' },
			{ created_at: '2026-01-06' },
		])
			expect(fills.identify({ ...fill, ...other }).key).not.toBe(stored.key);
		for (const name of ['fill_price', 'execution_price'])
			expect(fills.identify({ ...fill, price: undefined, [name]: '1500' }).key).toBe(stored.key);
	});

	it.each(['fill', 'fills', 'execution', 'executions', 'trade', 'trades'])('finds a fill under %s', (name) => {
		expect(fills.records({ id: 'message', [name]: [fill, { fill_id: 'f' }] })).toEqual([fill, { fill_id: 'f' }]);
	});
});

describe('an order', () => {
	it('knows an order by its state', () => {
		const update = {
			id: 'o',
			status: 'filled',
			filled_quantity: '30.00',
			quantity: '30',
			price: '1.50',
			updated_at: AT,
		};
		expect(orders.identify(update)).toMatchObject({
			key: 'order:o:filled:30',
			order: {
				id: 'o',
				status: 'filled',
				filled: '30',
				terms: '1.5x30',
				updatedAt: Date.parse(AT),
				replacedBy: undefined,
			},
		});
		expect(orders.identify({ id: 'o', status: 'cancelled', replace: { replaced_by_order_id: 'p' } })).toMatchObject({
			key: 'order:o:cancelled:0:p',
			order: { replacedBy: 'p', terms: undefined, filled: undefined },
		});
		expect(orders.identify({ id: 'o', status: 'accepted', quantity: '1', replace: 'p' })!.order).toMatchObject({
			terms: 'x1',
			replacedBy: undefined,
		});
		expect([orders.identify({ id: 'o' }), orders.identify({ status: 'filled' })]).toEqual([undefined, undefined]);
	});
});

describe('what one message tells', () => {
	const report = (topic: string, payload: unknown, ts: string | null = AT) =>
		eventsOf(topicOf(topic)!, { topic, data: payload, ts });
	const order = { id: 'o', status: 'filled' };

	it('reads each record of a message, or the message itself if it has none', () => {
		expect(report('user.orders', [order, { ...order, id: 'p' }])).toHaveLength(2);
		expect(report('user.orders', [order, { id: 'p' }])).toEqual([
			expect.objectContaining({ key: 'order:o:filled:0', data: order }),
			{ key: expect.stringMatching(/^user\.orders:.{16}$/), data: { id: 'p' } },
		]);
		for (const odd of [{ id: 'p' }, [[]], 'text'])
			expect(report('user.orders', odd)).toEqual([{ key: expect.stringMatching(/^user\.orders:.{16}$/), data: odd }]);
	});

	it('is told by no event where a message holds nothing', () => {
		for (const topic of ['user.orders', 'user.fills', 'trades.USD_NGN', 'orderbook.USD_NGN'])
			expect([null, []].flatMap((nothing) => report(topic, nothing))).toEqual([]);
	});

	it('tells messages apart by their time if nothing else does', () => {
		const keys = [report('user.orders', 'text'), report('user.orders', 'text', null), report('user.fills', 'text')].map(
			([event]) => event!.key,
		);
		expect(new Set(keys).size).toBe(3);
	});

	it('knows a change of a book by its place', () => {
		expect(report('orderbook.USD_NGN', { sequence: 5 })).toEqual([
			{ key: `orderbook.USD_NGN:${AT}:5`, data: { sequence: 5 }, item: { sequence: 5 }, sequence: 5 },
		]);
		expect(report('orderbook.USD_NGN', 'text')).toMatchObject([{ data: 'text', item: undefined, sequence: undefined }]);
	});
});
