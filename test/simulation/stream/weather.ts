import type { Random } from '../support/random';
import { SIMULATION_BEGINS } from '../support/time';
import type { Burst } from './bursts';
import { drawMessages, plainMessages, type MessageHabits } from './habits';
import { drawLists, plainLists, type ListHabits } from './lists';

const SECOND = 1000;

/** The faults of one simulated period. Rates are probabilities per message or request. */
export interface Weather extends Habits {
	/** A message of the stream is lost without any sign. */
	loss: number;
	duplicate: number;
	/** A message arrives after later ones. */
	reorder: number;
	/** An unreadable message arrives in between. */
	garbage: number;
	latencyMs: number;
	/** Average time between two broken connections. */
	breaksEveryMs: number | undefined;
	/** Average time between two connections that stay open but silent. */
	hangsEveryMs: number | undefined;
	/** Average time between two restarts of the service, and whether it keeps the connections. */
	restartsEveryMs: number | undefined;
	keepsConnections: boolean;
	/** A restart loses the fills and the finished orders. */
	forgetsRecords: boolean;
	/** A connection that fails, and the share of those that are never answered instead of refused. */
	refusal: number;
	unanswered: number;
	/** `rate_limited` instead of a confirmation. */
	limited: number;
	/** A subscription that is never confirmed. */
	unconfirmed: number;
	/** Every connection breaks and nothing responds at the address, possibly because the service restarts. */
	outages: readonly { from: number; to: number; restarts: boolean }[];
	/** The time by which everything read over REST lags. */
	lagMs: number;
	/** The share of reads answered by what lags; the others are up to date. */
	lagShare: number;
	/** A read that fails with an error, or is never answered. */
	readFailure: number;
	/** A read refused as if the key were wrong, by itself or for a period, in which connections are refused too. */
	refusedRead: number;
	refusedKey: readonly { from: number; to: number; status: 401 | 403; isShown: boolean }[];
	/** Every read fails until then. */
	readsFailUntil: number;
	/** When the service refuses a topic, which it served before and serves again afterwards. */
	refusedTopics: readonly { topic: string; from: number; to: number }[];
	/** When the clock of the client's machine is set, and by how much. */
	clockSteps: readonly { at: number; byMs: number }[];
	/** When nothing can be stored. */
	fullDisk: readonly { from: number; to: number }[];
	/** When the service takes back part of the filled quantity of a finished order. */
	corrections: readonly number[];
	/** When it reduces an open order in place. */
	amendments: readonly number[];
	/** When the client's process dies, for how long, and what it finds of what it stored. */
	crashes: readonly { at: number; downMs: number; finds?: Finding }[];
	/** When more trades happen at once than a backfill reads. */
	flood?: { at: number; trades: number };
	/** When much happens to the watched account at once. */
	bursts: readonly Burst[];
	/** The time the host takes for one batch. */
	hostMs: number;
	/** A host that rejects a batch. */
	rejection: number;
	healsAt: number;
}

/** What a host may give back of what it was told to store: what it had before, nothing, or something broken. */
export type Finding = 'the generation before' | 'nothing' | 'something broken';

/** Properties of the service that are not faults and remain after the faults have ended. */
export interface Habits extends MessageHabits {
	/** Messages kept for a replay. */
	replayed: number;
	/** A resume is answered with an error instead of a replay. */
	refusesResume: boolean;
	/** A replay ends the connection, perhaps as one whose messages are too large, or even before it is confirmed. */
	endsReplays: 'never' | 'at once' | 'as too large' | 'unconfirmed';
	/** A confirmation with a book ends the connection, because the message is too large. */
	endsBooks: boolean;
	/** The share of fills that the stream never tells and the list shows after minutes, though the list of their order has them. */
	lateFills: number;
	/** Each row of fills and trades appears in its list by itself, at most so late. */
	rowLagMs: number;
	/** Public trades its list shows, and fills, the newest ones. */
	tradesListed: number;
	fillsListed: number;
	/** Orders that rest far from the market from the beginning on. */
	resting: number;
	/** The time from one trigger's start to the next one's. */
	startsApartMs: number;
	/** From an order to its effect, and from a deposit to its end. */
	orderDelayMs: number;
	settlementDelayMs: number;
	lists: ListHabits;
	/** Shapes the interface does not show. */
	dialect: Readonly<Record<string, string>>;
}

const plain: Habits = {
	...plainMessages,
	replayed: 1_000,
	refusesResume: false,
	endsReplays: 'never',
	endsBooks: false,
	lateFills: 0,
	rowLagMs: 0,
	tradesListed: Number.POSITIVE_INFINITY,
	fillsListed: Number.POSITIVE_INFINITY,
	resting: 0,
	startsApartMs: 0,
	orderDelayMs: 5,
	settlementDelayMs: 15 * SECOND,
	lists: plainLists,
	dialect: {},
};

/** No faults. */
export const fair: Weather = {
	...plain,
	loss: 0,
	duplicate: 0,
	reorder: 0,
	garbage: 0,
	latencyMs: 20,
	breaksEveryMs: undefined,
	hangsEveryMs: undefined,
	restartsEveryMs: undefined,
	keepsConnections: false,
	forgetsRecords: false,
	refusal: 0,
	unanswered: 0,
	limited: 0,
	unconfirmed: 0,
	outages: [],
	lagMs: 0,
	lagShare: 1,
	readFailure: 0,
	refusedRead: 0,
	refusedKey: [],
	readsFailUntil: 0,
	refusedTopics: [],
	clockSteps: [],
	fullDisk: [],
	corrections: [],
	amendments: [],
	crashes: [],
	bursts: [],
	hostMs: 5,
	rejection: 0,
	healsAt: SIMULATION_BEGINS + 120 * SECOND,
};

/** The same service after all faults have ended. */
export function healed(weather: Weather): Weather {
	const habits = Object.fromEntries(Object.keys(plain).map((name) => [name, weather[name as keyof Habits]]));
	return { ...fair, ...habits };
}

/**
 * The drawn faults with some replaced; of its lists only those named. Layers that promise times because there are no
 * faults use the lists only.
 */
export const withForced = (drawn: Weather, forced: Readonly<Record<string, unknown>>): Weather => ({
	...drawn,
	...(drawn.unanswered > 0 ? forced : {}),
	lists: { ...drawn.lists, ...(forced.lists as Partial<ListHabits> | undefined) },
});

/** Draws the kinds of faults of a run, and their rates. */
export function drawWeather(chance: Random): Weather {
	const family = (most: number): number => (chance.happens(0.5) ? chance.next() * most : 0);
	const every = (least: number, most: number): number | undefined =>
		chance.happens(0.5) ? chance.between(least, most) * SECOND : undefined;
	const healsAt = SIMULATION_BEGINS + chance.between(40, 100) * SECOND;
	const during = (from = chance): number => SIMULATION_BEGINS + from.between(0.1, 0.9) * (healsAt - SIMULATION_BEGINS);
	const forgetsRecords = chance.fork('records').happens(0.25);
	const weather = {
		...drawHabits(chance),
		...drawRareFaults(chance.fork('rare'), during, healsAt),
		loss: family(0.3),
		duplicate: family(0.5),
		reorder: family(0.2),
		garbage: family(0.1),
		latencyMs: chance.between(1, 400),
		breaksEveryMs: every(5, 60),
		hangsEveryMs: every(40, 120),
		restartsEveryMs: every(10, 70),
		keepsConnections: chance.happens(0.3),
		refusal: family(0.4),
		unanswered: 0.2,
		limited: family(0.2),
		unconfirmed: family(0.2),
		outages: chance.happens(0.3) ? [drawOutage(during(), chance.between(1, 40) * SECOND, chance)] : [],
		lagMs: chance.happens(0.5) ? chance.next() * 12 * SECOND : 0,
		lagShare: 1,
		readFailure: family(0.4),
		readsFailUntil: 0,
		refusedTopics: [],
		corrections: [],
		amendments: [],
		bursts: [],
		crashes: chance.happens(0.4) ? [{ at: during(), downMs: chance.between(0.1, 20) * SECOND }] : [],
		hostMs: chance.pick([0, 5, 50, 300]),
		rejection: family(0.3),
		healsAt,
	};
	const isNameless = weather.confirms === 'nothing';
	return {
		...weather,
		forgetsRecords,
		// A confirmation without topics passes for one that was lost, which only a regular backfill repairs.
		unconfirmed: isNameless ? 0 : weather.unconfirmed,
	};
}

/** The longest time a valid key is refused. */
export const REFUSED_MS_MAX = 60 * SECOND;

function drawRareFaults(chance: Random, during: (from: Random) => number, healsAt: number) {
	const maybe = <T>(probability: number, draw: () => T): T[] => (chance.happens(probability) ? [draw()] : []);
	const until = (from: number, lastsMs: number): { from: number; to: number } => ({
		from,
		to: Math.min(from + lastsMs, healsAt),
	});
	return {
		refusedRead: chance.happens(0.15) ? chance.next() * 0.1 : 0,
		refusedKey: maybe(0.08, () => ({
			...until(during(chance), chance.between(1_000, REFUSED_MS_MAX)),
			status: chance.pick([401, 403] as const),
			isShown: chance.happens(0.5),
		})),
		clockSteps: maybe(0.12, () => ({ at: during(chance), byMs: chance.between(-1, 1) * 3_600 * SECOND })),
		fullDisk: maybe(0.12, () => until(during(chance), chance.pick([5, 60, 600]) * SECOND)),
	};
}

export const drawOutage = (from: number, lastsMs: number, chance: Random): Weather['outages'][number] => ({
	from,
	to: from + lastsMs,
	restarts: chance.happens(0.5),
});

export function drawHabits(chance: Random): Habits {
	const messages = drawMessages(chance.fork('messages'));
	// Without an ID or a time, copies of a fill cannot be distinguished.
	const hasTimes = messages.fills === 'without an id';
	return {
		...plain,
		...messages,
		sparse: chance.happens(0.2),
		replayed: chance.pick([0, 3, 30, 1_000]),
		refusesResume: chance.happens(0.15),
		tellsHead: chance.happens(0.5),
		tellsBook: chance.happens(0.5),
		orderDelayMs: chance.pick([5, 200, 3 * SECOND]),
		settlementDelayMs: chance.pick([50, 5 * SECOND, 40 * SECOND]),
		lists: drawLists(chance.fork('lists'), chance.pick([10, 25]), hasTimes),
		dialect: {
			order_event: chance.pick(['bare', 'wrapped', 'list']),
			stream_error: chance.pick(['code', 'reason', 'error', 'type']),
			order: chance.pick(['bare', 'wrapped', 'order_id']),
			lists: chance.pick(['wrapped', 'bare']),
		},
	};
}
