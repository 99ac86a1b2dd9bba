import {
	type FillsState,
	incompleteFills,
	newFillsState,
	onFill,
	onOrder,
	onRead,
	onWoken,
	wakesAt,
} from '../../../packages/core/src/stream/missing-fills';

const LATE_MS = 30_000;
/** A moment of no meaning; all others count from here. */
const T = 1_000_000;

type Said = [filled: string | undefined, status?: string, at?: number];

const order = (state: FillsState, [filled, status = 'partially_filled', at = 0]: Said, id = 'o') =>
	onOrder(
		state,
		{ key: id, data: {}, item: { pair_id: 'USD/NGN', side: 'buy', price: '1' }, order: { id, status, filled } },
		T + at,
	);
const fill = (state: FillsState, key: string, quantity: string, orderId = 'o') =>
	onFill(state, { key, data: {}, fill: { orderId, quantity } });

/** After these updates of one order. */
function after(...said: Said[]): FillsState {
	const state = newFillsState(LATE_MS);
	for (const update of said) order(state, update);
	return state;
}

/** After one update, with its fills read at the moment they are late. */
function reading(filled = '30'): FillsState {
	const state = after([filled]);
	onWoken(state, T + 2_000);
	expect(onWoken(state, T + LATE_MS)).toEqual({ isNewestDue: false, orderId: 'o' });
	return state;
}

const expected = (state: FillsState) => incompleteFills(state).map((entry) => entry.expected);
const moment = (state: FillsState) => {
	const at = wakesAt(state);
	return at === undefined ? undefined : at - T;
};

describe('what an update of an order changes', () => {
	it.each<[string, Said[], string[]]>([
		['an order without a filled quantity expects nothing', [[undefined]], []],
		['an order of which nothing was filled expects nothing', [['0']], []],
		['an order expects what it says was filled', [['30']], ['30']],
		['more is expected once more was filled', [['30'], ['40']], ['40']],
		['a late update lowers nothing', [['30'], ['20']], ['30']],
		['the end of an order lowers what is expected', [['30'], ['20', 'cancelled']], ['20']],
		['the end of an order of which nothing was filled ends the wait', [['30'], ['0', 'cancelled']], []],
	])('%s', (_name, said, result) => {
		const state = after(...said);
		expect([expected(state), state.short.size]).toEqual([result, result.length]);
	});

	it('the state is plain: no function is in it, and of the order only what filters look at', () => {
		const state = after(['30']);
		fill(state, 'f', '10');
		expect(structuredClone(state)).toEqual(state);
		expect(state.short.get('o')).toEqual({
			...{ id: 'o', isFinal: false, filterable: { pair_id: 'USD/NGN', side: 'buy' }, expected: '30' },
			...{ since: T, heardAt: T, newestReadAt: T + 2_000, readAt: T + LATE_MS, reads: 0 },
		});
	});

	it.each<[string, Said, object]>([
		['the same quantity again', ['30', 'filled', 9_000], { since: T, heardAt: T, readAt: T + LATE_MS }],
		['a larger quantity', ['40', 'filled', 9_000], { since: T, heardAt: T + 9_000, readAt: T + LATE_MS }],
	])('%s does not postpone the reading of missing fills', (_name, said, result) => {
		expect(after(['30'], said).short.get('o')).toMatchObject(result);
	});

	it('forgets the oldest short orders if more are short than are followed', () => {
		const state = newFillsState(LATE_MS);
		for (let number = 1; number <= 1_001; number += 1) order(state, ['30'], `o${number}`);
		order(state, ['40'], 'o2');
		expect([state.short.size, state.short.has('o1')]).toEqual([1_000, false]);
		order(state, ['30'], 'one more');
		expect([state.short.has('o2'), state.short.has('o3')]).toEqual([true, false]);
	});

	it('a reported order waits anew once more of it is filled', () => {
		const state = reading();
		onRead(state, 'o', 'read', T + LATE_MS);
		order(state, ['40', 'partially_filled', 50_000]);
		expect(state.short.get('o')).toMatchObject({ since: T + 50_000, readAt: T + 50_000 + LATE_MS, reads: 0 });
	});
});

describe('what a fill changes', () => {
	it.each<[string, Said, string, boolean]>([
		['a fill that is not enough leaves the order short', ['30', 'filled'], '29.9', true],
		['an ended order whose fills add up is forgotten', ['30', 'filled'], '30.0', false],
		['an open order whose fills add up is remembered until it was to be read', ['30'], '30', true],
	])('%s', (_name, said, quantity, isKept) => {
		const state = after(said);
		fill(state, 'f', quantity);
		expect(state.short.has('o')).toBe(isKept);
		expect(expected(state)).toEqual(quantity === '29.9' ? ['30'] : []);
	});

	it('a reported order whose fills add up after all is forgotten', () => {
		const state = reading();
		onRead(state, 'o', 'read', T + LATE_MS);
		expect(incompleteFills(state)).toMatchObject([{ told: true }]);
		fill(state, 'f', '30');
		expect(state.short.size).toBe(0);
	});
});

describe('what is due', () => {
	it('the newest fills are due after two seconds, those of the order once they are late, then nothing', () => {
		const state = after(['30']);
		expect([moment(state), onWoken(state, T + 1_999)]).toEqual([2_000, { isNewestDue: false }]);
		expect(onWoken(state, T + 2_000)).toEqual({ isNewestDue: true });
		expect([moment(state), onWoken(state, T + 2_000)]).toEqual([LATE_MS, { isNewestDue: false }]);
		expect(onWoken(state, T + LATE_MS)).toEqual({ isNewestDue: false, orderId: 'o' });
		expect([moment(state), onWoken(state, T + 10 * LATE_MS)]).toEqual([undefined, { isNewestDue: false }]);
	});

	it('nothing is due for an open order whose fills add up, which is forgotten when it was to be read', () => {
		const state = after(['30']);
		fill(state, 'f', '30');
		expect([onWoken(state, T + 2_000), moment(state)]).toEqual([{ isNewestDue: false }, LATE_MS]);
		expect(onWoken(state, T + LATE_MS)).toEqual({ isNewestDue: false });
		expect([state.short.size, moment(state)]).toEqual([0, undefined]);
	});

	it('one order is read at a time, the next a second after that, and the newest fills in between', () => {
		const state = after(['30']);
		order(state, ['30'], 'second');
		onWoken(state, T + 2_000);
		expect(onWoken(state, T + LATE_MS).orderId).toBe('o');
		order(state, ['30', 'filled', LATE_MS], 'third');
		expect(moment(state)).toBe(LATE_MS + 2_000);
		expect(onWoken(state, T + LATE_MS + 2_000)).toEqual({ isNewestDue: true });
		onRead(state, 'o', 'read', T + LATE_MS + 5_000);
		expect([moment(state), onWoken(state, T + LATE_MS + 5_999).orderId]).toEqual([LATE_MS + 6_000, undefined]);
		expect(onWoken(state, T + LATE_MS + 6_000).orderId).toBe('second');
	});
});

describe('what follows from a read that ended', () => {
	it('an order whose fills were read and do not add up is told, with what filters look at', () => {
		const state = reading();
		fill(state, 'f', '10');
		expect(onRead(state, 'o', 'read', T + LATE_MS)).toEqual({
			...{ key: 'incomplete_fills:o:30:10', kind: 'incomplete_fills', item: { pair_id: 'USD/NGN', side: 'buy' } },
			data: {
				...{ order_id: 'o', pair_id: 'USD/NGN', expected: '30', counted: '10', missing: '20' },
				...{ fills_known: 1, done: 'read' },
			},
		});
	});

	it('an order whose fills the read completed is forgotten, and not told', () => {
		const state = reading();
		fill(state, 'f', '30');
		expect([onRead(state, 'o', 'read', T + LATE_MS), state.short.size]).toEqual([undefined, 0]);
	});

	it('an order that was dropped while its fills were read is not told', () => {
		const state = reading();
		order(state, ['0', 'cancelled']);
		expect(onRead(state, 'o', 'reading_failed', T + LATE_MS)).toBeUndefined();
	});

	it('a failed read is tried again after 10, 20 and 40 seconds, then told as failed', () => {
		const state = reading();
		const pauses: number[] = [];
		let at = T + LATE_MS;
		while (onRead(state, 'o', 'reading_failed', at) === undefined) {
			pauses.push(wakesAt(state)! - at);
			at = wakesAt(state)!;
			expect(onWoken(state, at).orderId).toBe('o');
		}
		expect(pauses).toEqual([10_000, 20_000, 40_000]);
		expect(moment(state)).toBeUndefined();
	});

	it('a quantity that came shortly before the read gets its own time', () => {
		const state = after(['30'], ['40', 'partially_filled', 20_000]);
		onWoken(state, T + LATE_MS);
		expect(onRead(state, 'o', 'read', T + LATE_MS)).toBeUndefined();
		expect(state.short.get('o')).toMatchObject({ since: T + 20_000, readAt: T + 20_000 + LATE_MS, reads: 0 });
	});
});
