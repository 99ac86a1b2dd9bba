/** The same orders for every engine: a book 10,000 orders deep, then limits near the touch, market orders and cancels. */
export type Operation =
	| { kind: 'limit'; id: string; side: 'buy' | 'sell'; price: number; quantity: number }
	| { kind: 'market'; id: string; side: 'buy' | 'sell'; quantity: number }
	| { kind: 'cancel'; id: string };

/** Prices and quantities count in hundredths. */
const MIDDLE = 150_000;
const TOUCH_RANGE = 40;

/** A small generator of its own, so that every run and every engine sees the same numbers. */
function createDraw(seed: number) {
	let state = seed;
	return (bound: number): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * bound);
	};
}

export function openingBook(depth: number): Operation[] {
	return Array.from({ length: depth }, (_, index) => {
		const side = index % 2 === 0 ? 'buy' : 'sell';
		const distance = 1 + Math.floor(index / 2);
		return {
			kind: 'limit',
			id: `open-${index}`,
			side,
			price: side === 'buy' ? MIDDLE - distance : MIDDLE + distance,
			quantity: 1_000,
		};
	});
}

export function trading(count: number, seed: number): Operation[] {
	const draw = createDraw(seed);
	return Array.from({ length: count }, (_, index): Operation => {
		const id = `trade-${index}`;
		const side = draw(2) === 0 ? 'buy' : 'sell';
		const kind = draw(100);
		if (kind < 15) return { kind: 'market', id, side, quantity: 1 + draw(2_000) };
		if (kind < 40 && index > 50) return { kind: 'cancel', id: `trade-${index - 1 - draw(50)}` };
		return { kind: 'limit', id, side, price: MIDDLE + draw(2 * TOUCH_RANGE) - TOUCH_RANGE, quantity: 1 + draw(2_000) };
	});
}
