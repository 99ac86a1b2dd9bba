import {
	LIMITED_MS,
	READ_EVERY_MS,
	READ_RETRY_MS,
	RECONNECT_MS,
	SILENCE_MS_MAX,
	TRADES_CAUGHT_UP_MAX,
} from '../../../packages/core/src/stream/limits';
import type { StreamPolicy } from '@partner-exchange/core/testing';
import { drawBursts } from './bursts';
import type { Layer } from './layer';
import { plainLists } from './lists';
import { drawHabits, drawOutage, drawWeather, fair, REFUSED_MS_MAX, type Weather } from './weather';
import type { Random } from '../support/random';
import { SIMULATION_BEGINS } from '../support/time';
import { strangers } from './strangers';
import { troubles } from './troubles';
import { CALM_MS, worlds } from './worlds';

const SECOND = 1000;
const HOUR = 3_600 * SECOND;
const noReading: Partial<StreamPolicy> = { readAfterMs: [], readEveryMs: undefined, impliesGap: () => false };
const noResume = { 'stream.resume': '' };
const healsAt = (chance: Random): number => SIMULATION_BEGINS + chance.between(40, 100) * SECOND;
/** Regular backfills are spread by a tenth of their interval. */
const REGULAR_MS = READ_EVERY_MS * 1.1;
/** A connection that fell silent as the faults ended is given up, and a backfill that failed then is repeated. */
const usual = ({ refusedKey }: Weather): number =>
	SILENCE_MS_MAX + READ_RETRY_MS.cap + (refusedKey.length > 0 ? REFUSED_MS_MAX : 0);
/** After a connect come a subscription, a backfill and a busy host. */
const SETTLING_MS = 2 * SECOND;
/** The time a host may take for consecutive batches, and a backfill for thousands of rows. */
const DENSE_HOST_MS_MAX = 50;
const DENSE_MS_MAX = 60 * SECOND;

export const layers = {
	/** All mechanisms, as shipped. */
	all: { weather: drawWeather, lateMs: usual, books: true },
	/** Only replay: connections that have held break, processes die, and every message that is sent arrives. */
	resume: {
		weather: (chance) => {
			const ends = [90, 180, 270].map((seconds) => SIMULATION_BEGINS + (seconds + chance.between(0, 10)) * SECOND);
			const lastsMs = chance.between(0.1, 15) * SECOND;
			const deathAt = chance.happens(0.5) ? chance.pick(ends) : undefined;
			return {
				...drawWeather(chance),
				loss: 0,
				reorder: 0,
				restartsEveryMs: undefined,
				breaksEveryMs: undefined,
				hangsEveryMs: undefined,
				// Where connecting again takes long, the next end comes before the connection has held.
				refusal: 0,
				// A request that is refused or not confirmed is repeated without a position.
				limited: 0,
				unconfirmed: 0,
				refusedKey: [],
				// A state that a list shows late is corrected by later readings, and there are none.
				lagMs: 0,
				outages: ends.filter((at) => at !== deathAt).map((from) => ({ from, to: from + lastsMs, restarts: false })),
				crashes: deathAt === undefined ? [] : [{ at: deathAt, downMs: lastsMs }],
				replayed: 1_000,
				refusesResume: false,
				tellsHead: true,
				sparse: false,
				healsAt: SIMULATION_BEGINS + 300 * SECOND,
			};
		},
		policy: noReading,
		lateMs: usual,
		books: false,
	},
	/** Only backfill, after subscriptions and when something may be missing. */
	signs: {
		weather: (chance) => ({
			...drawWeather(chance),
			sparse: false,
			// Without a head position, the first message of a topic may be lost unnoticed.
			tellsHead: true,
			limited: 0,
		}),
		policy: { readEveryMs: undefined },
		names: noResume,
		waitsForSigns: true,
		lateMs: usual,
		books: true,
	},
	/** Only gaps in the numbers, noticed by the next message and backfilled at once. */
	gaps: {
		weather: (chance) => ({
			...fair,
			loss: chance.between(0.05, 0.2),
			latencyMs: chance.between(1, 100),
			lagMs: chance.between(0, 12) * SECOND,
			healsAt: healsAt(chance),
		}),
		policy: { readEveryMs: undefined },
		names: noResume,
		waitsForSigns: true,
		waitsForHealing: false,
		lateMs: () => READ_EVERY_MS + SETTLING_MS,
		books: true,
	},
	/** Only a new epoch on a connection that stays open, whose first messages were lost. */
	epochs: {
		weather: (chance) => ({
			...fair,
			loss: 0.2,
			restartsEveryMs: chance.between(10, 40) * SECOND,
			keepsConnections: true,
			healsAt: healsAt(chance),
		}),
		policy: { readEveryMs: undefined },
		names: noResume,
		waitsForSigns: true,
		waitsForHealing: false,
		lateMs: () => READ_EVERY_MS + SETTLING_MS,
		books: true,
	},
	/** Only the regular backfill. */
	regular: {
		weather: drawWeather,
		policy: { readAfterMs: [], impliesGap: () => false },
		names: noResume,
		lateMs: (weather) => REGULAR_MS + usual(weather),
		books: false,
	},
	/** Messages are lost without a sign and lists lag, and nothing else: the next regular backfill finds them. */
	lost: {
		weather: (chance) => ({
			...fair,
			...drawHabits(chance),
			loss: chance.between(0.05, 0.9),
			lagMs: chance.happens(0.5) ? chance.between(0, 12) * SECOND : 0,
			healsAt: healsAt(chance),
		}),
		waitsForHealing: false,
		lateMs: ({ lagMs }) => lagMs + REGULAR_MS + SETTLING_MS,
		books: true,
	},
	/** The service goes down and comes back: all triggers are up to date within ten seconds. */
	outages: {
		weather: (chance) => {
			const lastsMs = chance.happens(0.1) ? chance.between(60, 1_200) * SECOND : chance.between(1, 60) * SECOND;
			const outage = drawOutage(SIMULATION_BEGINS + chance.between(20, 80) * SECOND, lastsMs, chance);
			const amendments = drawAmendments(chance.fork('amendments'), outage.to);
			return { ...fair, ...drawHabits(chance), outages: [outage], amendments, healsAt: outage.to };
		},
		lateMs: () => RECONNECT_MS.cap + SETTLING_MS,
		calmAfterMs: () => RECONNECT_MS.cap + SETTLING_MS,
		books: true,
	},
	/** Days pass while the process is down. */
	away: {
		weather: (chance) => {
			const at = SIMULATION_BEGINS + chance.between(20, 60) * SECOND;
			const downMs = chance.between(20, 72) * HOUR;
			const amendments = drawAmendments(chance.fork('amendments'), at + downMs);
			return { ...fair, ...drawHabits(chance), crashes: [{ at, downMs }], amendments, healsAt: at + downMs };
		},
		lateMs: usual,
		books: true,
	},
	/** More happens at once than a backfill reads, while the host is slow, down or disconnected. */
	floods: {
		weather: (chance) => {
			const at = SIMULATION_BEGINS + 20 * SECOND;
			const trouble = chance.pick<Partial<Weather>>([
				{ hostMs: 3 * SECOND },
				{ crashes: [{ at: at - SECOND, downMs: 20 * SECOND }] },
				{ outages: [{ from: at - SECOND, to: at + 20 * SECOND, restarts: false }] },
			]);
			const trades = TRADES_CAUGHT_UP_MAX * chance.between(0.3, 1.5);
			return { ...fair, ...trouble, flood: { at, trades }, healsAt: at + 40 * SECOND };
		},
		lateMs: usual,
		books: true,
	},
	/** As shipped, with thousands of events per run instead of a hundred, and a service that can handle them. */
	dense: {
		weather: (chance) => {
			const weather = drawWeather(chance);
			const bursts = drawBursts(chance.fork('bursts'), weather.healsAt);
			const lists = { ...weather.lists, order: 'newest first' as const, pageMax: plainLists.pageMax };
			// Fills of one order at the same time are indistinguishable without IDs, so no test could tell them apart.
			const fills = weather.fills === 'without an id' ? 'bare' : weather.fills;
			return { ...weather, bursts, lists, fills, hostMs: Math.min(weather.hostMs, DENSE_HOST_MS_MAX) };
		},
		lateMs: (weather) => usual(weather) + DENSE_MS_MAX,
		books: true,
	},
	/** No faults, so everything arrives at once. */
	fair: {
		weather: (chance) => {
			const habits = drawHabits(chance);
			// Without times, a correction is believed only after several backfills have shown it.
			const corrections = habits.lists.times === 'none' ? [] : drawCorrections(chance.fork('corrections'));
			const amendments = habits.lists.times === 'none' ? [] : drawAmendments(chance.fork('amendments'), fair.healsAt);
			return { ...fair, ...habits, corrections, amendments };
		},
		lateMs: () => CALM_MS,
		books: true,
	},
	...worlds,
	...strangers,
	...troubles,
} satisfies { readonly [name: string]: Layer };

/** No two within a millisecond, which their times could not order: orders show the time of their last change. */
function drawCorrections(chance: Random): number[] {
	const times = Array.from({ length: chance.below(4) }, () => SIMULATION_BEGINS + chance.between(30, 110) * SECOND);
	return [...new Set(times.map(Math.floor))];
}

/** Some before the faults, some in the middle of them, some at their end. */
const drawAmendments = (chance: Random, healsAt: number): number[] =>
	Array.from({ length: chance.below(4) }, () =>
		chance.pick([
			SIMULATION_BEGINS + chance.between(15, 60) * SECOND,
			chance.between(SIMULATION_BEGINS, healsAt),
			healsAt + chance.between(-5, 15) * SECOND,
		]),
	);

/** A connection that was told to wait may still wait after the faults have ended. */
export const calmAfterMs = (layer: Layer, weather: Weather): number =>
	layer.calmAfterMs?.(weather) ?? Math.max(weather.limited > 0 ? 2 * LIMITED_MS.cap : 0, usual(weather)) + 5 * SECOND;

export type LayerName = keyof typeof layers;
/** Floods, long absences and slow hosts take long to simulate. */
const rare = {
	floods: 750,
	away: 97,
	overruns: 751,
	'slow hosts': 757,
	'unsorted lists': 101,
	'stuck neighbours': 103,
	'clocks apart': 109,
	'two shapes': 113,
	'strange numbers': 127,
	'silent amendments': 167,
	'overtaken corrections': 173,
	'torn checkpoints': 131,
	replicas: 137,
	'no pages': 139,
	'keys rotated': 149,
	'a moment without a key': 151,
	'hosts that give up': 157,
	'restarts in a lag': 181,
	'crowds that return': 193,
	'books too large': 197,
	'trades forgotten': 199,
	'fills forgotten': 211,
	'floods in a lag': 1_511,
	'long lists': 1_523,
} satisfies Partial<Record<LayerName, number>>;
/** Played on request: `npm run sim -- --suite stream --layer dense`. */
/** Drawn for no life: to draw them would give every seed another life, and the plants other ones than their table says. */
const onRequest: readonly LayerName[] = ['dense', 'crowds'];
const alone = (Object.keys(layers) as LayerName[]).filter(
	(name) => name !== 'all' && !(name in rare) && !onRequest.includes(name),
);

/** Every second seed runs as shipped, the others with one layer alone. */
export function layerOf(seed: number): LayerName {
	for (const [name, every] of Object.entries(rare)) if (seed % every === 0) return name as LayerName;
	return seed % 2 === 0 ? 'all' : alone[((seed - 1) / 2) % alone.length]!;
}
