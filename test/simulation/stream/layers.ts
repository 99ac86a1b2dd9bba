import type { StreamPolicy } from '@partner-exchange/core';
import { drawWeather, fair, type Weather } from './weather';
import type { Random } from '../support/random';

/**
 * What keeps events from being lost has several layers, and together they hide each other's faults. Each layer is
 * therefore also tried alone, in the weather it is made for.
 */
export interface Layer {
	weather(chance: Random): Weather;
	policy?: Partial<StreamPolicy>;
	/** Names on the wire, such as no name at all for the resume. */
	names?: Readonly<Record<string, string>>;
	/** An event arrives so long after it happened or the weather healed, at the latest. */
	lateMs: number;
	/** And in calm weather. */
	calmMs(weather: Weather): number;
}

const SECOND = 1000;
const noReading = { readAfterMs: [], readEveryMs: undefined, isSuspect: () => false };
const noResume = { 'stream.resume': '' };
/** A connection that was asked to be patient may still wait while the weather is calm again. */
const calm = ({ limited }: Weather): number => (limited > 0 ? 60 : 3) * SECOND;

export const layers = {
	/** As it ships. */
	all: { weather: drawWeather, lateMs: 75 * SECOND, calmMs: calm },
	/** Only what the service replays: connections break and processes die, and every message that is sent arrives. */
	resume: {
		weather: (chance) => ({
			...drawWeather(chance),
			loss: 0,
			reorder: 0,
			restartsEveryMs: undefined,
			replayed: 1_000,
			tellsHead: true,
			sparse: false,
		}),
		policy: noReading,
		lateMs: 75 * SECOND,
		calmMs: calm,
	},
	/** Only reading, after subscriptions and suspicions. */
	signs: {
		weather: (chance) => ({
			...drawWeather(chance),
			sparse: false,
			forgetsEpoch: false,
			// Without a head the very first message of a topic can be lost without a sign.
			tellsHead: true,
			limited: 0,
		}),
		policy: { readEveryMs: undefined },
		names: noResume,
		lateMs: 75 * SECOND,
		calmMs: calm,
	},
	/** Only gaps in the numbers, noticed by the next message and read at once. */
	gaps: {
		weather: (chance) => ({
			...fair,
			loss: chance.between(0.05, 0.3),
			latencyMs: chance.between(1, 400),
			lagMs: chance.between(0, 12_000),
			healsAt: drawWeather(chance).healsAt,
		}),
		policy: { readEveryMs: undefined },
		names: noResume,
		lateMs: 75 * SECOND,
		calmMs: calm,
	},
	/** Only a new epoch on a connection that stays, whose first messages were lost. */
	epochs: {
		weather: (chance) => ({
			...fair,
			loss: 0.2,
			restartsEveryMs: chance.between(10, 40) * SECOND,
			keepsConnections: true,
			sparse: false,
			healsAt: drawWeather(chance).healsAt,
		}),
		policy: { readEveryMs: undefined },
		names: noResume,
		lateMs: 75 * SECOND,
		calmMs: calm,
	},
	/** Only the regular reading. */
	regular: {
		weather: drawWeather,
		policy: { readAfterMs: [], isSuspect: () => false },
		names: noResume,
		lateMs: 125 * SECOND,
		calmMs: calm,
	},
	/** Nothing goes wrong, so everything arrives at once. */
	fair: { weather: () => fair, lateMs: 2 * SECOND, calmMs: () => 2 * SECOND },
} satisfies { readonly [name: string]: Layer };

export type LayerName = keyof typeof layers;
export const layerNames = Object.keys(layers) as LayerName[];
