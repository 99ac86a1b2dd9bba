import { streamPolicy } from '@partner-exchange/core/testing';
import {
	acknowledgeOrder,
	findOrder,
	judgeOrder,
	orderIndexOf,
	type StoredOrder,
} from '../../../../packages/core/src/stream/ledger/orders';
import { OPEN_ORDERS_MAX, STORED_ENDED_MAX, STORED_OPEN_MAX } from '../../../../packages/core/src/stream/limits';
import type { OrderFacts } from '../../../../packages/core/src/stream/topics/event';

const SECOND_MS = 1_000;

/** The orders a consumer was offered, and those its host acknowledged. */
function memoryOf(args: StoredOrder[] = [], wasCut = false) {
	const index = orderIndexOf(args, wasCut);
	const acknowledged = new Map(args.map((order) => [order[0], order]));
	let isDeep = false;
	return {
		admit: (update: OrderFacts, origin: { isRead: boolean; now: number }) =>
			judgeOrder(index, update, { ...streamPolicy, ...origin }),
		isKnown: (id: string) => findOrder(index, id) !== undefined,
		openOrders: () => [...index.open.keys()],
		acknowledge: (facts: OrderFacts) => void (isDeep = acknowledgeOrder(acknowledged, facts) || isDeep),
		stored: () => [...acknowledged.values()],
		isDeep: () => isDeep,
		isCut: () => index.isCut,
	};
}
const open = (more: Partial<OrderFacts> = {}): OrderFacts => ({ id: 'o', status: 'accepted', filled: '0', ...more });

/** Updates of one order in turn; returns which of them are new. */
function news(updates: Partial<OrderFacts>[], isRead = false, memory = memoryOf()): boolean[] {
	return updates.map((update) => memory.admit(open(update), { isRead, now: 0 }) !== undefined);
}

/** Backfills that keep showing a state, every ten seconds from a given time. */
function shownFor(seconds: number[], row: Partial<OrderFacts>, report: Partial<OrderFacts> = { status: 'cancelled' }) {
	const memory = memoryOf();
	memory.admit(open(report), { isRead: false, now: 0 });
	return seconds.map((second) => memory.admit(open(row), { isRead: true, now: second * SECOND_MS }) !== undefined);
}

describe('what was told of an order', () => {
	it('delivers the state of an order once, and each later one', () => {
		expect(
			news([{}, {}, { status: 'partially_filled', filled: '10' }, {}, { status: 'filled', filled: '30' }]),
		).toEqual([true, false, true, false, true]);
	});

	it('an older update does not correct an order, unless the order is further along in it', () => {
		const partly = { status: 'partially_filled', filled: '20', updatedAt: 5 };
		expect(news([partly, { ...partly, terms: '1x9', updatedAt: 4 }])).toEqual([true, false]);
		expect(news([partly, { ...partly, filled: '10', updatedAt: 4 }])).toEqual([true, false]);
		expect(news([{ updatedAt: 5 }, { status: 'filled', filled: '30', updatedAt: 4 }])).toEqual([true, true]);
		expect(news([{ updatedAt: 5 }, { status: 'filled', filled: '30', updatedAt: 5 }])).toEqual([true, true]);
		expect(news([{ updatedAt: 5 }, { status: 'filled', filled: '30' }])).toEqual([true, true]);
		expect(news([{}, { status: 'filled', filled: '30', updatedAt: 5 }])).toEqual([true, true]);
	});

	it('a later update corrects an order', () => {
		const [ended, other] = [
			{ status: 'cancelled', updatedAt: 5 },
			{ status: 'filled', filled: '30' },
		];
		expect(news([ended, { ...other, updatedAt: 6 }])).toEqual([true, true]);
		expect(news([ended, { ...other, updatedAt: 5 }])).toEqual([true, false]);
		expect(news([ended, other])).toEqual([true, false]);
		expect(news([{ status: 'cancelled' }, { ...other, updatedAt: 6 }])).toEqual([true, false]);
	});

	it('counts corrections of an order, and keeps what an update does not repeat', () => {
		const memory = memoryOf();
		const admit = (update: Partial<OrderFacts>) => memory.admit(open(update), { isRead: false, now: 0 });
		expect(admit({ terms: '1x2', replacedBy: 'p', updatedAt: 1 })).toMatchObject({ corrections: 0 });
		expect(admit({ status: 'cancelled', filled: undefined, updatedAt: 1 })).toEqual({
			...{ id: 'o', status: 'cancelled', filled: '0', terms: '1x2', replacedBy: 'p', updatedAt: 1, corrections: 0 },
		});
		expect(admit({ status: 'filled', filled: '30', updatedAt: 2 })).toMatchObject({ corrections: 1 });
		expect(admit({ status: 'cancelled', updatedAt: 3 })).toMatchObject({ corrections: 2 });
	});

	it('a later time does not correct an order if nothing says when its state began', () => {
		const replayed = [
			{ updatedAt: 6 },
			{ status: 'partially_filled', filled: '10', updatedAt: 6 },
			{ status: 'filled', filled: '30', updatedAt: 7 },
		];
		expect(news([{ updatedAt: 5 }, { status: 'partially_filled', filled: '10' }, ...replayed])).toEqual([
			...[true, true],
			...[false, false, true],
		]);
		expect(news([{ updatedAt: 5 }, { status: 'filled', filled: '30' }, ...replayed])).toEqual([
			...[true, true],
			...[false, false, false],
		]);
	});

	it('delivers another price or quantity of an order as an amendment, unless the order had it before', () => {
		expect(news([{ terms: '1x2' }, { terms: '1x3' }, { terms: '1x2' }, { terms: '1x3' }])).toEqual([
			true,
			true,
			false,
			false,
		]);
		expect(news([{ terms: '1x2' }, {}, { terms: '1x2' }])).toEqual([true, false, false]);
		expect(news([{}, { terms: '1x2' }])).toEqual([true, false]);
		expect(news([{ terms: '1x2' }, { terms: undefined }, { terms: '1x3' }])).toEqual([true, false, true]);
		expect(
			news([
				{ status: 'filled', terms: '1x2' },
				{ status: 'filled', terms: '1x3' },
			]),
		).toEqual([true, false]);
		expect(
			news([
				{ filled: '5', terms: '1x2' },
				{ filled: '4', terms: '1x3' },
			]),
		).toEqual([true, false]);
		expect(news([{ status: 'partially_filled', terms: '1x2' }, { terms: '1x3' }])).toEqual([true, false]);
	});

	it('remembers ten prices and quantities of an order', () => {
		const terms = Array.from({ length: 12 }, (_, number) => ({ terms: `1x${number}` }));
		expect(news([...terms, { terms: '1x2' }, { terms: '1x1' }]).slice(12)).toEqual([false, true]);
	});

	it('corrects an order if backfills show another end for CORRECTION_CONFIRMED_AFTER_MS', () => {
		const filled = { status: 'filled', filled: '30' };
		expect(shownFor([10, 20, 30, 39.999, 40], filled)).toEqual([false, false, false, false, true]);
		expect(shownFor([31], filled)).toEqual([false]);
		expect(shownFor([1, 31], filled)).toEqual([false, true]);
		expect(shownFor([0, 29.999, 30], filled)).toEqual([false, false, true]);
	});

	it('does not correct an order if messages or different backfills contradict', () => {
		const memory = memoryOf();
		memory.admit(open({ status: 'cancelled' }), { isRead: false, now: 0 });
		const said = (filled: string, second: number, isRead = true) =>
			memory.admit(open({ status: 'filled', filled }), { isRead, now: second * SECOND_MS }) !== undefined;
		expect([said('30', 1), said('31', 31), said('30', 61)]).toEqual([false, false, false]);
		expect([said('30', 92, false), said('30', 92)]).toEqual([false, true]);
	});

	it('does not correct an order once a backfill shows its state', () => {
		const memory = memoryOf();
		const read = (status: string, second: number) =>
			memory.admit(open({ status }), { isRead: true, now: second * SECOND_MS }) !== undefined;
		memory.admit(open({ status: 'cancelled' }), { isRead: false, now: 0 });
		expect([read('filled', 1), read('cancelled', 15), read('filled', 35), read('filled', 65)]).toEqual([
			false,
			false,
			false,
			true,
		]);
		memory.admit(open({ status: 'filled' }), { isRead: false, now: 66_000 });
		expect([read('cancelled', 70), read('cancelled', 100)]).toEqual([false, true]);
	});

	it('does not deliver an order again, however long backfills show its state', () => {
		expect(shownFor([1, 40, 80], { status: 'cancelled' })).toEqual([false, false, false]);
	});

	it('corrects an order although a message repeats the delivered state meanwhile', () => {
		const memory = memoryOf();
		const report = (status: string, second: number, isRead: boolean) =>
			memory.admit(open({ status }), { isRead, now: second * SECOND_MS }) !== undefined;
		expect([report('cancelled', 0, false), report('filled', 1, true)]).toEqual([true, false]);
		expect([report('cancelled', 15, false), report('filled', 35, true)]).toEqual([false, true]);
	});

	it('does not open an ended order again, however long a list says so', () => {
		expect(shownFor([1, 60, 600], { status: 'accepted' })).toEqual([false, false, false]);
		expect(shownFor([1, 60], { status: 'accepted', filled: '4' }, { filled: '5' })).toEqual([false, true]);
		expect(shownFor([1, 60], { status: 'accepted', filled: '4' }, { status: 'filled', filled: '5' })).toEqual([
			false,
			false,
		]);
	});
});

describe('what is stored of orders', () => {
	it('stores the state of an open order, so that the next run delivers an amendment, and no older list', () => {
		const memory = memoryOf();
		memory.acknowledge(open({ terms: '1500x30', updatedAt: 5 }));
		const stored = memory.stored();
		expect(stored).toEqual([['o', 'accepted', '0', null, '1500x30', 5, 0]]);
		const update = (facts: Partial<OrderFacts>) => news([facts], true, memoryOf(stored))[0];
		expect(update({ terms: '1500x30', updatedAt: 5 })).toBe(false);
		expect(update({ terms: '1500x20', updatedAt: 6 })).toBe(true);
		expect(update({ terms: '1500x20' })).toBe(true);
		expect(update({ terms: '1500x40', updatedAt: 4 })).toBe(false);
		// Shown late, an earlier state is not an amendment.
		expect(news([{ terms: '1500x20' }, { terms: '1500x30' }], true, memoryOf(stored))).toEqual([true, false]);
		expect(news([{ terms: '1500x20', updatedAt: 6 }], true, memoryOf([['o', 'accepted', '0', null]]))).toEqual([false]);
	});

	it('stores the state of an order that the host acknowledged last, and knows it in the next run', () => {
		const memory = memoryOf();
		memory.acknowledge(open({ filled: undefined }));
		memory.acknowledge(open({ id: 'p' }));
		memory.acknowledge(open({ status: 'cancelled', replacedBy: 'q' }));
		expect(memory.stored().sort()).toEqual([
			['o', 'cancelled', '0', 'q'],
			['p', 'accepted', '0', null],
		]);
		const next = memoryOf(memory.stored());
		expect([next.isKnown('o'), next.isKnown('p'), next.isKnown('q')]).toEqual([true, true, false]);
		expect(next.openOrders()).toEqual(['p']);
		expect(
			news(
				[
					{ status: 'cancelled', replacedBy: 'q' },
					{ status: 'cancelled', replacedBy: 'r' },
				],
				false,
				next,
			),
		).toEqual([false, true]);
	});

	it('reads stored orders in any form, where the checkpoint was edited', () => {
		const args = [
			['a', 'accepted', 'much', 7],
			['b', 'accepted', 5, undefined],
		] as unknown as StoredOrder[];
		const memory = memoryOf(args);
		expect(memory.openOrders()).toEqual(['a', 'b']);
		expect(memory.admit(open({ id: 'a', filled: '3' }), { isRead: false, now: 0 })).toMatchObject({ filled: '3' });
		expect(memory.admit(open({ id: 'a', filled: '3', replacedBy: 'c' }), { isRead: false, now: 0 })).toBeDefined();
		expect(memory.admit(open({ id: 'b', filled: '5' }), { isRead: false, now: 0 })).toMatchObject({
			filled: '5',
			replacedBy: undefined,
		});
	});

	it('a backfill of the next run corrects at once an order whose state is old', () => {
		const memory = memoryOf([['o', 'cancelled', '0', null]]);
		const read = (now: number) => memory.admit(open({ status: 'filled' }), { isRead: true, now }) !== undefined;
		expect([read(5), read(30_004), read(30_005)]).toEqual([false, false, true]);
	});

	it('stores limited numbers of open and of ended orders, and says that open ones are missing', () => {
		const memory = memoryOf();
		const all = STORED_OPEN_MAX + STORED_ENDED_MAX;
		for (let number = 0; number < STORED_OPEN_MAX; number += 1) memory.acknowledge(open({ id: `open${number}` }));
		for (let number = 0; number < STORED_ENDED_MAX; number += 1)
			memory.acknowledge(open({ id: `end${number}`, status: 'filled' }));
		expect(memory.stored()).toHaveLength(all);
		memory.acknowledge(open({ id: 'ended', status: 'filled' }));
		expect([memory.stored().length, memory.isDeep()]).toEqual([all, false]);
		const ids = () => new Set(memory.stored().map(([id]) => id));
		expect([ids().has('end0'), ids().has('end1'), ids().has('ended')]).toEqual([false, true, true]);
		memory.acknowledge(open({ id: 'one more' }));
		expect([memory.stored().length, memory.isDeep()]).toEqual([all, true]);
		expect([ids().has('open0'), ids().has('open1'), ids().has('one more')]).toEqual([false, true, true]);
		memory.acknowledge(open({ id: 'another end', status: 'filled' }));
		expect(memory.isDeep()).toBe(true);
	});

	it('knows that stored orders are incomplete if they were before', () => {
		expect([memoryOf([], true).isCut(), memoryOf().isCut()]).toEqual([true, false]);
	});

	it('drops the oldest open orders that are too many to follow', () => {
		const memory = memoryOf();
		for (let number = 0; number < OPEN_ORDERS_MAX; number += 1)
			memory.admit(open({ id: `o${number}` }), { isRead: false, now: 0 });
		expect([memory.isKnown('o0'), memory.isCut()]).toEqual([true, false]);
		memory.admit(open({ id: 'one more' }), { isRead: false, now: 0 });
		expect([memory.isKnown('o0'), memory.isKnown('o1'), memory.isCut()]).toEqual([false, true, true]);
	});
});
