import {
	CONFIRMATION_MS,
	FILLS_FOLLOW_MS_MAX,
	LISTED_AFTER_MS,
	RECONNECT_MS,
	REFUSED_AGAIN_MS,
} from '../../../packages/core/src/stream/limits';
import type { Random } from '../support/random';
import type { Layer } from './layer';
import { plainLists } from './lists';
import { SECOND, MINUTE, SETTLING_MS, REGULAR_MS, at, usual, both, fills } from './scene';
import { BOOK, TRADES } from './truth';
import { fair, type Weather } from './weather';

/** Worlds in which one mechanism of the stream has to do its work, because nothing else does it there. */

/** Many orders that come and go at once, so that earlier ones are on later pages. */
const manyOrders = (at: number, orders: number) => ({ at, orders, lastsMs: SECOND, end: 'filled at once' as const });

const outages = (chance: Random, count: number): Weather['outages'] =>
	Array.from({ length: count }, (_, index) => {
		const from = at(20 + index * 40 + chance.between(0, 10));
		return { from, to: from + chance.between(5, 15) * SECOND, restarts: false };
	});

const restingOrders = (chance: Random, healsAt: number): Weather => ({
	...fair,
	loss: 0.9,
	resting: 8,
	bursts: [manyOrders(at(chance.between(5, 10)), 60)],
	lists: { ...plainLists, pageMax: 10 },
	healsAt,
});

export const worlds = {
	/** Fills the stream never tells and the list shows after minutes: only the sum of an order's fills shows them. */
	'late fills': {
		weather: () => ({ ...fair, lateFills: 0.3 }),
		lateMs: () => CALM_MS,
		books: false,
		consumers: [both],
		startsAfterMs: 0,
	},
	/** Reads fail while the triggers start, and so do some messages. */
	'late start': {
		weather: (chance) => {
			const readsFailUntil = at(chance.between(40, 60));
			// The process starts again while reads fail, or where its first one is answered.
			const before = chance.pick([4, 0.5]) * SECOND;
			const crashes = chance.happens(0.5) ? [{ at: readsFailUntil - before, downMs: SECOND }] : [];
			return { ...fair, loss: 0.5, readsFailUntil, crashes, healsAt: readsFailUntil + 5 * SECOND };
		},
		lateMs: usual,
		books: false,
		consumers: [both, { topics: [TRADES], batchMax: 10 }],
		startsAfterMs: 0,
		owesFromTheStart: true,
	},
	/** Orders that rested for long change, and no message tells it. */
	'resting orders': {
		weather: (chance) => restingOrders(chance, at(180)),
		waitsForHealing: false,
		lateMs: () => REGULAR_MS + 10 * SECOND,
		books: false,
		consumers: [both],
	},
	/** The same where the triggers start when these orders are old already. */
	'orders from before': {
		weather: (chance) => restingOrders(chance, at(240)),
		waitsForHealing: false,
		lateMs: () => REGULAR_MS + 10 * SECOND,
		books: false,
		consumers: [both],
		startsAfterMs: 100 * SECOND,
	},
	/** Long lists in no order, some of whose pages cannot be read. */
	'unsorted lists': {
		weather: (chance) => ({
			...fair,
			loss: 0.5,
			readFailure: chance.pick([0, 0.3]),
			crashes: chance.happens(0.5) ? [{ at: at(60), downMs: SECOND }] : [],
			bursts: [manyOrders(at(5), 60)],
			lists: { ...plainLists, order: chance.pick(['by chance', 'newest first but some'] as const), pageMax: 10 },
			healsAt: at(120),
		}),
		lateMs: () => usual() + MINUTE,
		calmAfterMs: () => usual() + MINUTE,
		books: false,
		consumers: [both, fills],
	},
	/** Connections end whenever something would be replayed. */
	'replays end connections': {
		weather: (chance) => ({
			...fair,
			endsReplays: chance.pick(['at once', 'as too large'] as const),
			outages: outages(chance, 2),
			healsAt: at(110),
		}),
		lateMs: usual,
		books: false,
		consumers: [both, { topics: [TRADES], batchMax: 10 }],
	},
	/** A topic is refused for a while although it was served before. */
	'refused topics': {
		weather: (chance) => {
			const from = at(20);
			const to = from + chance.between(5, 40) * SECOND;
			const topic = chance.pick(['user.fills', 'user.orders', TRADES]);
			const outage = { from, to: from + SECOND, restarts: false };
			return { ...fair, outages: [outage], refusedTopics: [{ topic, from, to }], healsAt: to };
		},
		lateMs: () => 2 * REFUSED_AGAIN_MS.base + CONFIRMATION_MS.base + REGULAR_MS,
		calmAfterMs: () => 2 * REFUSED_AGAIN_MS.base + CONFIRMATION_MS.base,
		books: false,
		consumers: [both, { topics: [TRADES], batchMax: 10 }],
		startsAfterMs: 0,
	},
	/** More than may wait for it arrives at a host that is slow. */
	overruns: {
		weather: () => ({
			...fair,
			hostMs: 50,
			flood: { at: at(20), trades: 7_000 },
			healsAt: at(60),
		}),
		lateMs: usual,
		books: true,
		consumers: [
			{ topics: [TRADES, 'user.fills'], batchMax: 10 },
			{ topics: [BOOK], batchMax: 1 },
		],
	},
	/** Rows of one list become visible one by one, in no order, and messages are lost. */
	'rows apart': {
		weather: (chance) => ({
			...fair,
			loss: 0.5,
			rowLagMs: chance.between(2, 12) * SECOND,
			bursts: [manyOrders(at(20), 40), manyOrders(at(50), 40), manyOrders(at(80), 40)],
			lists: { ...plainLists, pageMax: 10 },
			healsAt: at(120),
		}),
		waitsForHealing: false,
		lateMs: ({ rowLagMs }) => rowLagMs + REGULAR_MS + SETTLING_MS,
		books: false,
		consumers: [{ topics: [TRADES, 'user.fills'], batchMax: 10 }],
	},
	/** Hardly any message is lost, and every jump of the numbers is one: the next readings find it. */
	jumps: {
		weather: () => ({ ...fair, loss: 0.06, healsAt: at(120) }),
		policy: { readEveryMs: undefined },
		names: { 'stream.resume': '' },
		waitsForSigns: true,
		waitsForHealing: false,
		lateMs: () => SETTLING_MS,
		books: false,
		consumers: [{ topics: [TRADES], batchMax: 10 }],
	},
	/** Short outages, after which everything comes in its order. */
	'in order': {
		weather: (chance) => ({
			...fair,
			...chance.pick([{}, { sparse: true }, { bookStride: 4 }, { sparse: true, bookStride: 4 }]),
			outages: outages(chance, 2).map((outage) => ({ ...outage, restarts: chance.happens(0.3) })),
			latencyMs: chance.between(1, 200),
			healsAt: at(110),
		}),
		lateMs: () => RECONNECT_MS.cap + 2 * SETTLING_MS,
		calmAfterMs: () => RECONNECT_MS.cap + 2 * SETTLING_MS,
		books: true,
		consumers: [
			{ topics: [TRADES], batchMax: 10 },
			{ topics: [BOOK], batchMax: 1 },
		],
		startsAfterMs: 0,
		isInOrder: true,
	},
	/** A host that is slow for a long time, on a connection that is sound. */
	'slow hosts': {
		weather: (chance) => ({
			...fair,
			hostMs: 4 * SECOND,
			bursts: [manyOrders(at(5), 400), manyOrders(at(40), 400), manyOrders(at(80), 400)],
			crashes: chance.happens(0.5) ? [{ at: at(chance.between(90, 160)), downMs: SECOND }] : [],
			healsAt: at(180),
		}),
		lateMs: () => 3 * MINUTE,
		calmAfterMs: () => 3 * MINUTE,
		books: true,
		keepsConnections: true,
		consumers: [
			{ topics: ['user.orders', 'user.fills'], batchMax: 5 },
			{ topics: [TRADES], batchMax: 50 },
		],
	},
	/** One of two consumers on a connection never returns. */
	'stuck neighbours': {
		weather: (chance) => ({ ...fair, bursts: [manyOrders(at(chance.between(5, 15)), 400)], healsAt: at(60) }),
		lateMs: () => SETTLING_MS,
		books: false,
		consumers: [both],
		faulty: ['never returns'],
		startsAfterMs: 0,
	},
	/** Many triggers start one after the other, before and after an outage, and come back together after a crash. */
	crowds: {
		weather: (chance) => ({
			...fair,
			startsApartMs: chance.between(0.1, 4) * SECOND,
			outages: outages(chance, 1),
			crashes: chance.happens(0.5) ? [{ at: at(80), downMs: SECOND }] : [],
			healsAt: at(110),
		}),
		lateMs: usual,
		books: false,
		consumers: Array.from({ length: 16 }, () => fills),
		startsAfterMs: 0,
		readingsPerMinuteMax: 10 + 12,
	},
} satisfies { readonly [name: string]: Layer };

/** The longest time of an immediate response, latencies included. */
export const CALM_MS = SECOND;

/** How much later a fill is due that only the sum of its order's fills shows. */
export const LATE_FILL_DUE_MS = LISTED_AFTER_MS + FILLS_FOLLOW_MS_MAX + 30 * SECOND;
