import type { Random } from '../support/random';
import { SIMULATION_BEGINS } from '../support/time';
import type { Burst } from './bursts';
import { drawMessages, plainMessages, type MessageHabits } from './habits';
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
	/** A restart forgets the public trades and numbers those that follow from the first on again. */
	forgetsTrades: boolean;
	/** A restart forgets the fills and the orders that ended. */
	forgetsRecords: boolean;
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
	/** A read that is refused as if the key were wrong, alone and for a time, in which connections are refused too. */
	refusedRead: number;
	refusedKey: readonly { from: number; to: number; status: 401 | 403; isShown: boolean }[];
	/** When somebody sets the clock of the client's machine, and by how much. */
	clockSteps: readonly { at: number; byMs: number }[];
	/** When nothing can be stored. */
	fullDisk: readonly { from: number; to: number }[];
	/** When the service takes back some of what it told of an order that ended. */
	corrections: readonly number[];
	/** When it makes an open order smaller in place. */
	amendments: readonly number[];
	/** When the client's process dies, and how long it stays dead. */
	crashes: readonly { at: number; downMs: number }[];
	/** When more trades happen at once than anybody reads back. */
	flood?: { at: number; trades: number };
	/** When much happens to the watched account at once. */
	bursts: readonly Burst[];
	/** How long the host takes over one batch. */
	hostMs: number;
	/** A host that does not take what it is given. */
	rejection: number;
	healsAt: number;
}

/** What is no fault: ways a service may have, which it keeps when the weather is fair. */
export interface Habits extends MessageHabits {
	/** Messages kept for those who come back. */
	replayed: number;
	/** A resume is answered with an error instead of a replay. */
	refusesResume: boolean;
	/** From an order to its effect, and from a deposit to its end. */
	orderDelayMs: number;
	settlementDelayMs: number;
	lists: ListHabits;
	/** Shapes where the interface shows none. */
	dialect: Readonly<Record<string, string>>;
}

const plain: Habits = {
	...plainMessages,
	replayed: 1_000,
	refusesResume: false,
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
	forgetsTrades: false,
	forgetsRecords: false,
	refusal: 0,
	unanswered: 0,
	limited: 0,
	unconfirmed: 0,
	outages: [],
	lagMs: 0,
	readFailure: 0,
	refusedRead: 0,
	refusedKey: [],
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

/** The same service once nothing goes wrong any more. */
export function healed(weather: Weather): Weather {
	const habits = Object.fromEntries(Object.keys(plain).map((name) => [name, weather[name as keyof Habits]]));
	return { ...fair, ...habits };
}

/**
 * The weather with some of it given, of its lists only what is named. Layers that promise times because nothing goes
 * wrong take the lists alone.
 */
export const withForced = (drawn: Weather, forced: Readonly<Record<string, unknown>>): Weather => ({
	...drawn,
	...(drawn.unanswered > 0 ? forced : {}),
	lists: { ...drawn.lists, ...(forced.lists as Partial<ListHabits> | undefined) },
});

/** Draws which kinds of trouble there are at all, and how bad each is. */
export function drawWeather(chance: Random): Weather {
	const family = (most: number): number => (chance.happens(0.5) ? chance.next() * most : 0);
	const every = (least: number, most: number): number | undefined =>
		chance.happens(0.5) ? chance.between(least, most) * SECOND : undefined;
	const healsAt = SIMULATION_BEGINS + chance.between(40, 100) * SECOND;
	const during = (from = chance): number => SIMULATION_BEGINS + from.between(0.1, 0.9) * (healsAt - SIMULATION_BEGINS);
	const forgetsTrades = chance.fork('trades').happens(0.25);
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
		forgetsEpoch: chance.happens(0.15),
		refusal: family(0.4),
		unanswered: 0.2,
		limited: family(0.2),
		unconfirmed: family(0.2),
		outages: chance.happens(0.3) ? [drawOutage(during(), chance.between(1, 40) * SECOND, chance)] : [],
		lagMs: chance.happens(0.5) ? chance.next() * 12 * SECOND : 0,
		readFailure: family(0.4),
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
		// A confirmation that names nothing passes for another that never came, which only a regular reading makes good.
		unconfirmed: isNameless ? 0 : weather.unconfirmed,
		forgetsTrades: forgetsTrades && !weather.forgetsEpoch && !isNameless,
	};
}

/** The longest time a key is refused, although it is good. */
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
	// Where neither an identifier nor a time tells copies of a fill from each other, nobody can.
	const hasTimes = messages.fills === 'without an id';
	return {
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
