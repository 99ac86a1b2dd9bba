import type { Random } from '../support/random';
import { SIMULATION_BEGINS, type VirtualTime } from '../support/time';
import { attempt, order, type Placing } from './placing';
import { CROWD, OWN, PAIR } from './story';

/** Many orders of the watched account at once, and their fills or cancellations. */
export interface Burst {
	at: number;
	orders: number;
	lastsMs: number;
	end: keyof typeof ends;
}

const SECOND = 1000;
/** A burst is split into this many parts, between which messages are sent. */
const PIECES = 20;
const AFTER_MS = SECOND;
/** The most fills of one order before it is complete. */
const FILLS_OF_ONE = 25;

export interface Playing extends Placing {
	time: VirtualTime;
}

/** Better than all other prices, so that incoming orders match these first. */
const PRICE = '1600.00';
/** The largest quantity others may offer at a better price. */
const OFFERED_BEFORE_MAX = 1_000;
const amount = (tenths: number): string => (tenths / 10).toFixed(2);

/** An offer of the watched account; returns its ID, unless it was refused. */
const offer = (playing: Playing, tenths: number): string | undefined =>
	attempt(playing, () =>
		order(playing, OWN, 'create', {
			...{ pair_id: PAIR, order_type: 'limit', side: 'sell', price: PRICE },
			quantity: amount(tenths),
		}),
	);

const take = (playing: Playing, quantity: string): void =>
	void attempt(playing, () =>
		order(playing, CROWD, 'create', { pair_id: PAIR, order_type: 'market', side: 'buy', quantity }),
	);

const takeAll = (playing: Playing, tenths: number): void => take(playing, amount(tenths + 10 * OFFERED_BEFORE_MAX));

const inPieces = ({ time }: Playing, from: number, lastsMs: number, play: () => void): void => {
	for (let piece = 0; piece < PIECES; piece += 1) time.at(from + (piece / PIECES) * lastsMs, play);
};

const times = (count: number, action: () => void): void => {
	for (let number = 0; number < count; number += 1) action();
};

const ends = {
	/** Each is filled completely, all by one order. */
	'filled at once': (playing, { at, orders, lastsMs }) => {
		inPieces(playing, at, lastsMs, () => times(orders / PIECES, () => offer(playing, 1)));
		playing.time.at(at + lastsMs + AFTER_MS, () => takeAll(playing, orders));
	},
	/** Few large orders are filled by many small ones. */
	'filled bit by bit': (playing, { at, orders, lastsMs }) => {
		playing.time.at(at, () => {
			takeAll(playing, 0);
			times(orders / FILLS_OF_ONE, () => offer(playing, FILLS_OF_ONE));
		});
		inPieces(playing, at + AFTER_MS, lastsMs, () => times(orders / PIECES, () => take(playing, amount(1))));
	},
	/** Half of them are cancelled before the others are filled. */
	'cancelled by half': (playing, { at, orders, lastsMs }) => {
		const open: string[] = [];
		inPieces(playing, at, lastsMs, () => times(orders / PIECES, () => open.push(offer(playing, 1) ?? '')));
		playing.time.at(at + lastsMs + AFTER_MS, () => {
			for (const id of open.filter((name, index) => name !== '' && index % 2 === 0))
				attempt(playing, () => order(playing, OWN, 'cancel', { pair_id: PAIR, order_id: id }));
		});
		playing.time.at(at + lastsMs + 2 * AFTER_MS, () => takeAll(playing, orders));
	},
} satisfies { readonly [name: string]: (playing: Playing, burst: Burst) => void };

export const playBurst = (playing: Playing, burst: Burst): void => ends[burst.end](playing, burst);

/** Bursts one after the other, from when all triggers listen until the faults end. */
export function drawBursts(chance: Random, healsAt: number): Burst[] {
	const bursts: Burst[] = [];
	let at = SIMULATION_BEGINS + 5 * SECOND;
	while (at < healsAt) {
		const lastsMs = chance.between(0.1, 3) * SECOND;
		bursts.push({
			at,
			orders: PIECES * (2 + chance.below(20)),
			lastsMs,
			end: chance.pick(Object.keys(ends) as Burst['end'][]),
		});
		at += lastsMs + 2 * AFTER_MS + chance.between(0, 5) * SECOND;
	}
	return bursts;
}
