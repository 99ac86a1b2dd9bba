import type { Random } from '../support/random';
import type { Seen } from './host';
import { drawFaults, type Fault } from './neighbours';
import { BOOK, TRADES } from './truth';

/** In runs with many events, this many triggers of each kind share a connection. */
const COPIES = [4, 16];

/** Draws the triggers of a run; all of them in runs with many events. */
export function drawConsumers(
	chance: Random,
	withBooks: boolean,
	howMuch: 'usual' | 'flood' | 'dense',
): { consumers: Seen['consumer'][]; faulty: Fault[]; wallets: number } {
	const all: Seen['consumer'][] = [
		{ topics: ['user.orders', 'user.fills'], batchMax: chance.pick([1, 10, 100]) },
		{ topics: ['user.orders'], filters: { statuses: ['filled', 'cancelled', 'rejected'] } },
		{ topics: [TRADES, 'user.fills'], batchMax: 10 },
		{ topics: [BOOK], batchMax: chance.pick([1, 10]) },
	];
	const faulty = drawFaults(chance.fork('faulty'));
	const able = withBooks ? all : all.slice(0, -1);
	if (howMuch === 'flood') return { consumers: able, faulty, wallets: 0 };
	if (howMuch === 'dense') {
		const copies = Array.from({ length: chance.pick(COPIES) }, () => able);
		return { consumers: copies.flat(), faulty, wallets: 0 };
	}
	const first = chance.below(able.length);
	const consumers = [...able.slice(first), ...able.slice(0, first)].slice(0, 1 + chance.below(3));
	return { consumers, faulty, wallets: chance.below(2) };
}
