import { CONFIRMATION_MS, REFUSED_AGAIN_MS } from '../../../packages/core/src/stream/limits';
import { SIMULATION_BEGINS } from '../support/time';
import type { Layer } from './layer';
import { plainLists } from './lists';
import { SECOND, MINUTE, SETTLING_MS, REGULAR_MS, at, usual, both, fills } from './scene';
import { BOOK, TRADES } from './truth';
import { fair } from './weather';

/** Worlds of services that show what they have in another way, and of hosts and machines that are not well. */

const HOUR = 60 * MINUTE;
const trades = { topics: [TRADES], batchMax: 10 };
const crash = (seconds: number) => ({ at: at(seconds), downMs: 10 * SECOND });

export const strangers = {
	/** The clock of the machine is hours away, and rows are dated in any way, in a zone that is not said. */
	'clocks apart': {
		weather: (chance) => ({
			...fair,
			loss: 0.3,
			clockSteps: [{ at: SIMULATION_BEGINS, byMs: chance.between(-12, 12) * HOUR }],
			...chance.pick([
				{ localTimes: true },
				...(['seconds', 'microseconds', 'nanoseconds'] as const).map((times) => ({ lists: { ...plainLists, times } })),
			]),
			crashes: chance.happens(0.5) ? [crash(90)] : [],
			healsAt: at(150),
		}),
		lateMs: usual,
		books: false,
		consumers: [both, trades],
		startsAfterMs: MINUTE,
	},
	/** One record carries other identifiers on the stream than in the list. */
	'two shapes': {
		weather: (chance) => {
			const shape = chance.pick([
				'under another name',
				'with a further id',
				'with an id in the list',
				'with an id of the message',
			] as const);
			return {
				...fair,
				loss: chance.pick([0, 0.3]),
				duplicate: chance.pick([0, 0.5]),
				fills: shape,
				trades: chance.pick(['one by one', 'untold on the stream'] as const),
				// What is delivered again after a crash has the key of the way it comes then.
				crashes: shape === 'with an id of the message' && chance.happens(0.5) ? [crash(90)] : [],
				healsAt: at(150),
			};
		},
		lateMs: usual,
		books: false,
		consumers: [fills, { topics: [TRADES, 'user.fills'], batchMax: 10 }],
	},
	/** Open orders become smaller in place, and nothing shows when. */
	'silent amendments': {
		weather: (chance) => ({
			...fair,
			tellsChanges: false,
			loss: chance.pick([0, 0.2]),
			amendments: [20, 45, 70, 95].map((seconds) => at(seconds)),
			healsAt: at(120),
		}),
		waitsForHealing: false,
		lateMs: ({ loss }) => (loss > 0 ? usual() : SETTLING_MS),
		books: false,
		consumers: [both],
		startsAfterMs: 0,
	},
	/** Corrections and amendments overtake what was told before them. */
	'overtaken corrections': {
		weather: (chance) => ({
			...fair,
			reorder: 0.4,
			duplicate: 0.4,
			corrections: [40, 60, 80].map((seconds) => at(seconds)),
			amendments: [30, 50, 70, 90].map((seconds) => at(seconds)),
			latencyMs: chance.between(1, 300),
			healsAt: at(120),
		}),
		lateMs: usual,
		books: false,
		consumers: [both],
		startsAfterMs: 0,
	},
	/** Trades are numbered with jumps, or only in the list. */
	'strange numbers': {
		weather: (chance) => ({
			...fair,
			loss: 0.4,
			duplicate: chance.pick([0, 0.3]),
			trades: chance.pick(['jumping', 'untold on the stream'] as const),
			flood: { at: at(30), trades: 20 },
			crashes: chance.happens(0.3) ? [crash(90)] : [],
			healsAt: at(150),
		}),
		lateMs: usual,
		books: false,
		consumers: [trades, { ...trades, batchMax: 1 }],
		startsAfterMs: MINUTE,
	},
	/** After a crash a host finds what it stored before the last time, or nothing, or something broken. */
	'torn checkpoints': {
		weather: (chance) => ({
			...fair,
			loss: 0.2,
			lagMs: chance.pick([0, 8]) * SECOND,
			crashes: [30, 70, 110].map((seconds) => ({
				...crash(seconds),
				finds: chance.pick(['the generation before', 'nothing', 'something broken'] as const),
			})),
			healsAt: at(130),
		}),
		lateMs: usual,
		books: true,
		consumers: [both, trades, { topics: [BOOK], batchMax: 10 }],
	},
	/** Some reads are answered by a replica that lags, and the next one is not. */
	replicas: {
		weather: (chance) => ({
			...fair,
			loss: 0.4,
			lagMs: chance.between(1, 12) * SECOND,
			lagShare: 0.5,
			settlementDelayMs: chance.pick([50, 5 * SECOND]),
			crashes: chance.happens(0.3) ? [crash(90)] : [],
			healsAt: at(150),
		}),
		lateMs: usual,
		books: false,
		consumers: [both, trades],
		wallets: 1,
	},
	/** Every list is answered whole. */
	'no pages': {
		weather: (chance) => ({
			...fair,
			loss: 0.5,
			lists: {
				...plainLists,
				isUnpaged: true,
				order: chance.pick(['newest first', 'oldest first', 'by chance'] as const),
			},
			bursts: [{ at: at(5), orders: 120, lastsMs: SECOND, end: 'filled at once' as const }],
			crashes: chance.happens(0.3) ? [crash(90)] : [],
			healsAt: at(150),
		}),
		lateMs: usual,
		books: false,
		consumers: [both],
	},
	/** The key is refused for minutes, while it is exchanged for another. */
	'keys rotated': {
		weather: (chance) => {
			const from = at(chance.between(15, 40));
			const to = from + chance.between(2, 10) * MINUTE;
			const refused = { from, to, status: chance.pick([401, 403] as const), isShown: chance.happens(0.5) };
			return { ...fair, refusedKey: [refused], healsAt: to };
		},
		lateMs: () => REFUSED_AGAIN_MS.cap,
		calmAfterMs: () => REFUSED_AGAIN_MS.cap,
		books: false,
		consumers: [both, trades],
		startsAfterMs: 0,
	},
	/** A key is refused for a moment, as each topic is asked for and read for the first time. */
	'a moment without a key': {
		weather: (chance) => ({
			...fair,
			refusedKey: [{ from: at(0), to: at(chance.between(0.05, 0.7)), status: 401 as const, isShown: true }],
			healsAt: at(20),
		}),
		lateMs: () => CONFIRMATION_MS.base,
		books: false,
		consumers: [both, trades],
		startsAfterMs: 0,
		startsAtOnce: true,
	},
	/** Others on the connection throw, cannot store, and take half a minute for ten events. */
	'hosts that give up': {
		weather: (chance) => ({
			...fair,
			bursts: [{ at: at(chance.between(5, 15)), orders: 400, lastsMs: SECOND, end: 'filled at once' as const }],
			healsAt: at(60),
		}),
		lateMs: () => SETTLING_MS,
		books: false,
		consumers: [both],
		faulty: ['throws', 'cannot store', 'is slow'],
		startsAfterMs: 0,
	},
	/** More trades than keys are remembered of any age, within the time a list lags. */
	'floods in a lag': {
		weather: () => ({ ...fair, lagMs: 12 * SECOND, flood: { at: at(20), trades: 25_000 }, healsAt: at(60) }),
		lateMs: () => MINUTE + usual(),
		books: false,
		consumers: [{ ...trades, batchMax: 1_000 }],
	},
	/** Long lists without times, each of which is read whole. */
	'long lists': {
		weather: (chance) => ({
			...fair,
			loss: 0.5,
			lists: {
				...plainLists,
				order: chance.pick(['newest first', 'oldest first'] as const),
				times: 'none',
				pageMax: 10,
			},
			bursts: [{ at: at(5), orders: 1_000, lastsMs: SECOND, end: 'filled at once' as const }],
			healsAt: at(240),
		}),
		waitsForHealing: false,
		lateMs: () => REGULAR_MS + 20 * SECOND,
		books: false,
		consumers: [fills],
	},
} satisfies { readonly [name: string]: Layer };
