import { READ_AFTER_MS, READ_LAG_MS_MAX } from '../../../packages/core/src/stream/limits';
import type { Layer } from './layer';
import { plainLists } from './lists';
import { SECOND, MINUTE, at, fills, usual } from './scene';
import { BOOK, TRADES } from './truth';
import { fair, type Weather } from './weather';

/** Worlds of services in trouble, each of which one mechanism alone gets over. */

const trades = { topics: [TRADES], batchMax: 10 };

/** Nobody listens for twenty seconds, and a replay shows little of them. */
const absences: readonly Partial<Weather>[] = [
	{ crashes: [{ at: at(30), downMs: 20 * SECOND }] },
	{ outages: [{ from: at(30), to: at(50), restarts: false }], replayed: 3 },
];

export const troubles = {
	/** The service restarts while its lists lag. */
	'restarts in a lag': {
		weather: (chance) => ({
			...fair,
			loss: 0.2,
			lagMs: READ_LAG_MS_MAX - SECOND,
			restartsEveryMs: chance.between(15, 30) * SECOND,
			keepsConnections: true,
			lists: { ...plainLists, pageMax: 10 },
			flood: { at: at(5), trades: 200 },
			healsAt: at(180),
		}),
		lateMs: usual,
		books: false,
		consumers: [trades],
		startsAfterMs: MINUTE,
	},
	/** After a crash many triggers come back one by one. What the first of them read serves the others. */
	'crowds that return': {
		weather: (chance) => ({
			...fair,
			startsApartMs: chance.between(2.5, 3.5) * SECOND,
			refusesResume: chance.happens(0.5),
			crashes: [{ at: at(150), downMs: SECOND }],
			healsAt: at(210),
		}),
		lateMs: usual,
		books: false,
		consumers: Array.from({ length: 16 }, (_, index) => (index % 2 ? fills : trades)),
		startsAfterMs: 0,
		// After a start, after a command, and the regular ones.
		readingsPerMinuteMax: 2 * READ_AFTER_MS.length + 3,
	},
	/** The list shows the newest public trades alone, and more happened while nobody listened. */
	'trades forgotten': {
		weather: (chance) => ({
			...fair,
			...chance.pick(absences),
			tradesListed: 60,
			rowLagMs: chance.pick([0, 8]) * SECOND,
			flood: { at: at(32), trades: chance.between(20, 300) },
			// Trades of the stream show how far the list should be.
			bursts: [{ at: at(58), orders: 5, lastsMs: SECOND, end: 'filled at once' as const }],
			healsAt: at(60),
		}),
		lateMs: usual,
		books: false,
		consumers: [trades],
		startsAfterMs: 0,
	},
	/** The list shows the newest fills alone, and more happened while nobody listened. */
	'fills forgotten': {
		weather: (chance) => ({
			...fair,
			...chance.pick(absences),
			fillsListed: chance.between(12, 30),
			bursts: [
				{ at: at(10), orders: 3, lastsMs: SECOND, end: 'filled at once' as const },
				{ at: at(32), orders: chance.between(5, 60), lastsMs: 10 * SECOND, end: 'filled at once' as const },
				{ at: at(58), orders: 5, lastsMs: SECOND, end: 'filled at once' as const },
			],
			healsAt: at(60),
		}),
		lateMs: usual,
		books: false,
		consumers: [fills],
		startsAfterMs: 0,
	},
	/** A book is too large for the message that confirms its subscription. */
	'books too large': {
		weather: (chance) => ({ ...fair, endsBooks: true, loss: chance.pick([0, 0.1]), healsAt: at(90) }),
		lateMs: usual,
		books: true,
		consumers: [{ topics: [BOOK], batchMax: 1 }],
		startsAfterMs: 0,
	},
} satisfies { readonly [name: string]: Layer };
