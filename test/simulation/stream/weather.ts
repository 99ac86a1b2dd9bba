import type { Random } from '../support/random';
import { SIMULATION_BEGINS } from '../support/time';

const SECOND = 1000;

/** What goes wrong in one simulated stretch of time. Rates are probabilities per message or request. */
export interface Weather {
	/** A message of the stream never arrives, without any sign. */
	loss: number;
	duplicate: number;
	/** A message arrives after later ones. */
	reorder: number;
	/** A message nobody can read comes in between. */
	garbage: number;
	/** Numbers jump although nothing is missing. */
	sparse: boolean;
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
	/** A connection that is refused, or never answered. */
	refusal: number;
	/** `rate_limited` instead of a confirmation. */
	limited: number;
	/** A subscription that is never confirmed. */
	unconfirmed: number;
	/** Messages kept for those who come back. */
	replayed: number;
	/** Whether a confirmation tells the position it begins at. */
	tellsHead: boolean;
	/** The address refuses everything. */
	outages: readonly (readonly [from: number, to: number])[];
	/** How far lists lag behind. */
	lagMs: number;
	readFailure: number;
	/** When the client's process dies, and how long it stays dead. */
	crashes: readonly { at: number; downMs: number }[];
	/** How long the host takes over one batch. */
	hostMs: number;
	/** A host that does not take what it is given. */
	rejection: number;
	healsAt: number;
}

/** Nothing goes wrong. */
export const fair: Weather = {
	loss: 0,
	duplicate: 0,
	reorder: 0,
	garbage: 0,
	sparse: false,
	latencyMs: 20,
	breaksEveryMs: undefined,
	hangsEveryMs: undefined,
	restartsEveryMs: undefined,
	keepsConnections: false,
	forgetsEpoch: false,
	refusal: 0,
	limited: 0,
	unconfirmed: 0,
	replayed: 1_000,
	tellsHead: true,
	outages: [],
	lagMs: 0,
	readFailure: 0,
	crashes: [],
	hostMs: 5,
	rejection: 0,
	healsAt: SIMULATION_BEGINS + 120 * SECOND,
};

/** Draws which kinds of trouble there are at all, and how bad each is. */
export function drawWeather(chance: Random): Weather {
	const family = (most: number): number => (chance.happens(0.5) ? chance.next() * most : 0);
	const every = (least: number, most: number): number | undefined =>
		chance.happens(0.5) ? chance.between(least, most) * SECOND : undefined;
	const healsAt = SIMULATION_BEGINS + chance.between(40, 100) * SECOND;
	const during = (): number => SIMULATION_BEGINS + chance.between(0.1, 0.9) * (healsAt - SIMULATION_BEGINS);
	return {
		loss: family(0.3),
		duplicate: family(0.5),
		reorder: family(0.2),
		garbage: family(0.1),
		sparse: chance.happens(0.2),
		latencyMs: chance.between(1, 400),
		breaksEveryMs: every(5, 60),
		hangsEveryMs: every(40, 120),
		restartsEveryMs: every(10, 70),
		keepsConnections: chance.happens(0.3),
		forgetsEpoch: chance.happens(0.15),
		refusal: family(0.4),
		limited: family(0.2),
		unconfirmed: family(0.2),
		replayed: chance.pick([0, 0, 3, 30, 1_000]),
		tellsHead: chance.happens(0.5),
		outages: chance.happens(0.3) ? [drawOutage(during(), chance)] : [],
		lagMs: chance.happens(0.5) ? chance.next() * 12 * SECOND : 0,
		readFailure: family(0.4),
		crashes: chance.happens(0.4) ? [{ at: during(), downMs: chance.between(0.1, 20) * SECOND }] : [],
		hostMs: chance.pick([0, 5, 50, 300]),
		rejection: family(0.3),
		healsAt,
	};
}

function drawOutage(from: number, chance: Random): readonly [number, number] {
	return [from, from + chance.between(1, 40) * SECOND];
}
