import type { Random } from '../support/random';
import { SIMULATION_BEGINS } from '../support/time';
import { drawLists, plainLists, type ListHabits } from './lists';

const SECOND = 1000;

/** What goes wrong in one simulated stretch of time. Rates are probabilities per message or request. */
export interface Weather extends Habits {
	/** A message of the stream never arrives, without any sign. */
	loss: number;
	duplicate: number;
	/** A message arrives after later ones. */
	reorder: number;
	/** A message nobody can read comes in between. */
	garbage: number;
	latencyMs: number;
	/** Average time between two broken connections. */
	breaksEveryMs: number | undefined;
	/** Average time between two connections that stay open and say nothing any more. */
	hangsEveryMs: number | undefined;
	/** Average time between two restarts of the service, and whether it keeps the connections. */
	restartsEveryMs: number | undefined;
	keepsConnections: boolean;
	/** A restart begins the numbers anew and keeps the epoch. */
	forgetsEpoch: boolean;
	/** A connection that does not come about, and how many of those are never answered instead of refused. */
	refusal: number;
	unanswered: number;
	/** `rate_limited` instead of a confirmation. */
	limited: number;
	/** A subscription that is never confirmed. */
	unconfirmed: number;
	/** Every connection breaks and nothing answers at the address, perhaps because the service restarts. */
	outages: readonly { from: number; to: number; restarts: boolean }[];
	/** How far everything that is read over REST lags behind. */
	lagMs: number;
	/** A read that is answered with an error, or not at all. */
	readFailure: number;
	/** When the client's process dies, and how long it stays dead. */
	crashes: readonly { at: number; downMs: number }[];
	/** When more trades happen at once than anybody reads back. */
	flood?: { at: number; trades: number };
	/** How long the host takes over one batch. */
	hostMs: number;
	/** A host that does not take what it is given. */
	rejection: number;
	healsAt: number;
}

/** What is no fault: ways a service may have, which it keeps when the weather is fair. */
export interface Habits {
	/** Numbers jump although nothing is missing. */
	sparse: boolean;
	/** Messages kept for those who come back. */
	replayed: number;
	/** A resume is answered with an error instead of a replay. */
	refusesResume: boolean;
	/** Whether a confirmation tells the position it begins at, and the order book. */
	tellsHead: boolean;
	tellsBook: boolean;
	/** From an order to its effect, and from a deposit to its end. */
	orderDelayMs: number;
	settlementDelayMs: number;
	lists: ListHabits;
	/** Shapes where the interface shows none. */
	dialect: Readonly<Record<string, string>>;
}

const plain: Habits = {
	sparse: false,
	replayed: 1_000,
	refusesResume: false,
	tellsHead: true,
	tellsBook: true,
	orderDelayMs: 5,
	settlementDelayMs: 15 * SECOND,
	lists: plainLists,
	dialect: {},
};

/** Nothing goes wrong. */
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
	forgetsEpoch: false,
	refusal: 0,
	unanswered: 0,
	limited: 0,
	unconfirmed: 0,
	outages: [],
	lagMs: 0,
	readFailure: 0,
	crashes: [],
	hostMs: 5,
	rejection: 0,
	healsAt: SIMULATION_BEGINS + 120 * SECOND,
};

/** The same service once nothing goes wrong any more. */
export function healed(weather: Weather): Weather {
	const habits = Object.fromEntries(Object.keys(plain).map((name) => [name, weather[name as keyof Habits]]));
	return { ...fair, ...habits };
}

/** Draws which kinds of trouble there are at all, and how bad each is. */
export function drawWeather(chance: Random): Weather {
	const family = (most: number): number => (chance.happens(0.5) ? chance.next() * most : 0);
	const every = (least: number, most: number): number | undefined =>
		chance.happens(0.5) ? chance.between(least, most) * SECOND : undefined;
	const healsAt = SIMULATION_BEGINS + chance.between(40, 100) * SECOND;
	const during = (): number => SIMULATION_BEGINS + chance.between(0.1, 0.9) * (healsAt - SIMULATION_BEGINS);
	return {
		...drawHabits(chance),
		loss: family(0.3),
		duplicate: family(0.5),
		reorder: family(0.2),
		garbage: family(0.1),
		latencyMs: chance.between(1, 400),
		breaksEveryMs: every(5, 60),
		hangsEveryMs: every(40, 120),
		restartsEveryMs: every(10, 70),
		keepsConnections: chance.happens(0.3),
		forgetsEpoch: chance.happens(0.15),
		refusal: family(0.4),
		unanswered: 0.2,
		limited: family(0.2),
		unconfirmed: family(0.2),
		outages: chance.happens(0.3) ? [drawOutage(during(), chance.between(1, 40) * SECOND, chance)] : [],
		lagMs: chance.happens(0.5) ? chance.next() * 12 * SECOND : 0,
		readFailure: family(0.4),
		crashes: chance.happens(0.4) ? [{ at: during(), downMs: chance.between(0.1, 20) * SECOND }] : [],
		hostMs: chance.pick([0, 5, 50, 300]),
		rejection: family(0.3),
		healsAt,
	};
}

export const drawOutage = (from: number, lastsMs: number, chance: Random): Weather['outages'][number] => ({
	from,
	to: from + lastsMs,
	restarts: chance.happens(0.5),
});

export function drawHabits(chance: Random): Habits {
	return {
		sparse: chance.happens(0.2),
		replayed: chance.pick([0, 3, 30, 1_000]),
		refusesResume: chance.happens(0.15),
		tellsHead: chance.happens(0.5),
		tellsBook: chance.happens(0.5),
		orderDelayMs: chance.pick([5, 200, 3 * SECOND]),
		settlementDelayMs: chance.pick([50, 5 * SECOND, 40 * SECOND]),
		lists: drawLists(chance.fork('lists'), chance.pick([10, 25])),
		dialect: {
			order_event: chance.pick(['bare', 'wrapped', 'list']),
			stream_error: chance.pick(['code', 'reason', 'error', 'type']),
			order: chance.pick(['bare', 'wrapped', 'order_id']),
			lists: chance.pick(['wrapped', 'bare']),
		},
	};
}
