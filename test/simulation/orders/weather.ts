import type { Random } from '../support/random';
import { BACKGROUND_LOOKUPS_MAX } from '../../../packages/core/src/orders/background-lookups';
import { drawDialect, hasGaps, type Dialect } from './dialect';
import { drawOthers } from './others';
import { SIMULATION_BEGINS } from '../support/time';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** The faults of one simulated afternoon. Rates are probabilities per request. */
export interface Weather {
	/** The request is lost. */
	loss: number;
	/** The reply is lost. */
	replyLoss: number;
	/** The connection breaks, before or after the service has acted. */
	reset: number;
	/** The request arrives a second time, up to a minute later. */
	duplicate: number;
	/** 5xx responses, half of them after the service has acted. */
	failure: number;
	/** 429, with and without Retry-After. */
	limited: number;
	/** A success whose body is truncated or empty. */
	malformed: number;
	/** 409 because a copy of the same request is still in progress. */
	busy: number;
	/** 401 and 403 from a proxy. */
	denied: number;
	latencyMs: number;
	/** The request takes up to a minute to arrive, after the client has stopped waiting. */
	heldUp: number;
	/** The first transmission is lost or delayed, and later ones are refused. */
	stutter: number;
	/** Periods in which nothing responds at the address. */
	outages: readonly (readonly [from: number, to: number])[];
	/** When the client's process dies, and for how long. */
	crashes: readonly { at: number; downMs: number }[];
	/** When the API key is replaced by another. */
	rotatesAt: number | undefined;
	listLagMs: number;
	keyRetentionMs: number;
	orderDelayMs: number;
	/** A refusal after the request was forwarded: 401, 403 and 429 although the order was created. */
	actsFirst: boolean;
	/** The error of a broken connection is misclassified: it claims that nothing was sent. */
	lies: number;
	/**
	 * Codes of a refused command, listed in the interface and others, and how often the others come after it was
	 * executed.
	 */
	refusedCommand: number;
	/** Jumps of the wall clock of the client's machine, in milliseconds. */
	clockJumps: readonly { at: number; byMs: number }[];
	/** The journal cannot be written or read. */
	diskFails: number;
	/** A second process of the host uses the same business keys. */
	twoProcesses: boolean;
	dialect: Dialect;
	/** Most orders of the account in a day, in every process. */
	ordersPerDay: number | undefined;
	/** Most that the orders of the account may be worth in a day, in every process. */
	valuePerDay: string | undefined;
	/** When an operator throws the stop switch, which stays thrown. */
	stopsAt: number | undefined;
	/** When the host with a journal is given another address, where another account is, and when the first one again. */
	movesAt: readonly [away: number, back: number] | undefined;
	/** How many orders of one moment, while nothing answers for longer than they wait for. */
	crowd: { orders: number; at: number; silentMs: number } | undefined;
	/** All faults have ended by this time. */
	healsAt: number;
}

/** Draws the kinds of faults of a run, and their rates. */
export function drawWeather(chance: Random): Weather {
	const family = (most: number): number => (chance.happens(0.5) ? chance.next() * most : 0);
	const healsAt = SIMULATION_BEGINS + chance.between(2, 10) * MINUTE;
	const during = (): number => SIMULATION_BEGINS + chance.next() * 0.8 * (healsAt - SIMULATION_BEGINS);
	const crashes = chance.happens(0.5)
		? Array.from({ length: 1 + chance.below(2) }, () => drawCrash(during(), chance))
		: [];
	const listLagMs = chance.happens(0.5) ? chance.next() * 12 * SECOND : 0;
	const more = drawMore(chance.fork('more'), during, listLagMs);
	const rotatesAt = chance.happens(0.25) ? during() : undefined;
	const weather: Weather = {
		...more,
		loss: family(0.3),
		replyLoss: family(0.5),
		reset: family(0.3),
		duplicate: family(0.5),
		failure: family(0.5),
		limited: family(0.4),
		malformed: family(0.3),
		busy: family(0.2),
		denied: family(0.3),
		latencyMs: chance.between(5, 400),
		heldUp: family(0.2),
		outages: chance.happens(0.4) ? [drawOutage(during(), chance)] : [],
		crashes: separate(crashes.sort((a, b) => a.at - b.at)),
		rotatesAt: more.actsFirst ? undefined : rotatesAt,
		listLagMs,
		keyRetentionMs: chance.happens(0.5) ? chance.between(10, 40) * MINUTE : 24 * 60 * MINUTE,
		orderDelayMs: chance.pick([5, 200, 3 * SECOND]),
		healsAt,
	};
	// What happens among many orders of others is seen best where nothing else happens.
	return more.dialect.others?.burst && chance.fork('calm').happens(0.8) ? calmed(weather) : weather;
}

/** After this time a service that forgets keys soon takes the same one for another order. */
export const KEYS_FORGOTTEN_MS = 10 * MINUTE;

/** All faults end before the orders of others come. */
const calmed = (weather: Weather): Weather => ({
	...weather,
	healsAt: SIMULATION_BEGINS + 20 * SECOND,
	crashes: [],
	keyRetentionMs: KEYS_FORGOTTEN_MS,
	rotatesAt: undefined,
	stopsAt: undefined,
	movesAt: undefined,
});

/** Drawn from a separate sequence, so that the earlier draws stay the same. */
function drawMore(chance: Random, during: () => number, listLagMs: number) {
	const family = (most: number): number => (chance.happens(0.3) ? chance.next() * most : 0);
	const limits = { ...drawLimits(chance.fork('limits'), during), valuePerDay: drawValue(chance.fork('value')) };
	const drawn = drawDialect(chance.fork('dialect'));
	// What others place counts under the limits of the account as well.
	const isLimited = limits.ordersPerDay !== undefined || limits.valuePerDay !== undefined;
	const others = isLimited || drawn.onePage ? undefined : drawOthers(chance.fork('others'), listLagMs);
	// A list without a count says nothing of what is missing in it.
	const dialect = {
		...drawn,
		others,
		...(others && chance.fork('count').happens(0.5) ? { counts: 'nothing' as const } : {}),
	};
	const isLate = listLagMs > 0 || (others !== undefined && others.lateMs > 0);
	const jumps = [-60, -5, 10, 90].map((minutes) => minutes * MINUTE);
	return {
		dialect,
		// With a key that is refused, nobody waits for a list that lags. (Interface, part 5.)
		actsFirst: chance.happens(0.3) && !isLate && !hasGaps(dialect),
		lies: family(0.1),
		refusedCommand: family(0.8),
		clockJumps: chance.happens(0.3)
			? Array.from({ length: 1 + chance.below(3) }, () => ({ at: during(), byMs: chance.pick(jumps) }))
			: [],
		diskFails: family(0.3),
		twoProcesses: chance.happens(0.3),
		stutter: drawStutter(chance.fork('stutter')),
		...limits,
		movesAt: drawMove(chance.fork('move'), during),
		crowd: drawCrowd(chance.fork('crowd')),
	};
}

function drawLimits(chance: Random, during: () => number): Pick<Weather, 'ordersPerDay' | 'stopsAt'> {
	return {
		ordersPerDay: chance.happens(0.2) ? 1 + chance.below(2) : undefined,
		stopsAt: chance.happens(0.1) ? during() : undefined,
	};
}

/** Less than one order is worth, or less than two. */
const drawValue = (chance: Random): string | undefined =>
	chance.happens(0.15) ? chance.pick(['100000', '250000']) : undefined;

function drawMove(chance: Random, during: () => number): Weather['movesAt'] {
	if (!chance.happens(0.15)) return undefined;
	const away = during();
	return [away, away + chance.between(1, 6) * MINUTE];
}

/** More than are looked for at once. */
const drawCrowd = (chance: Random): Weather['crowd'] =>
	chance.happens(0.005)
		? {
				orders: BACKGROUND_LOOKUPS_MAX + chance.between(5, 40),
				at: SIMULATION_BEGINS + chance.between(0, 60) * SECOND,
				silentMs: 4 * MINUTE,
			}
		: undefined;

const drawStutter = (chance: Random): number => (chance.happens(0.2) ? chance.between(0.3, 1) : 0);

function drawCrash(at: number, chance: Random): { at: number; downMs: number } {
	return { at, downMs: chance.happens(0.2) ? chance.between(5, 60) * MINUTE : chance.between(0.2, 30) * SECOND };
}

/** A stopped process cannot crash. */
const separate = (crashes: Weather['crashes']): Weather['crashes'] =>
	crashes.filter(({ at }, index) => index === 0 || at > crashes[index - 1]!.at + crashes[index - 1]!.downMs);

function drawOutage(from: number, chance: Random): readonly [number, number] {
	return [from, from + chance.between(1, 90) * SECOND];
}
