import { createNumberWindow } from '../../../packages/core/src/stream/backfill/number-window';
import { WINDOW_EVENTS_MAX, WINDOW_MS_MAX } from '../../../packages/core/src/stream/limits';

const event = (sequence: number) => ({ key: `trade:${sequence}`, data: {}, sequence });
const events = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => event(from + index));

describe('the window of a numbered topic', () => {
	function open() {
		let now = 0;
		const window = createNumberWindow({ elapsed: () => now });
		const numbersAfter = (sequence: number) => window.after(sequence)?.map((one) => one.sequence);
		return { window, numbersAfter, pass: (ms: number) => void (now += ms) };
	}

	it('serves nobody before a backfill has found what is missing', () => {
		const { window, numbersAfter } = open();
		window.observed(events(1, 5));
		expect(numbersAfter(2)).toBeUndefined();
	});

	it('serves whoever left behind the first number of that backfill, each event once and in order', () => {
		const { window, numbersAfter } = open();
		window.observed([event(4), event(7), ...events(3, 6)]);
		window.readWhole(2, 6, 0);
		expect([numbersAfter(2), numbersAfter(5), numbersAfter(1)]).toEqual([[3, 4, 5, 6, 7], [6, 7], undefined]);
	});

	it('grows by a further backfill that begins within it, or behind numbers the stream brought without a hole', () => {
		const { window, numbersAfter } = open();
		window.observed(events(3, 9));
		window.readWhole(2, 6, 0);
		window.readWhole(8, 9, 0);
		expect(numbersAfter(2)).toEqual([3, 4, 5, 6, 7, 8, 9]);
		window.observed([event(12)]);
		window.readWhole(11, 12, 0);
		expect([numbersAfter(2), numbersAfter(11)]).toEqual([undefined, [12]]);
	});

	it('forgets the oldest events beyond its size, and serves nobody who may miss one of them', () => {
		const { window, numbersAfter } = open();
		window.observed(events(1, 2 * WINDOW_EVENTS_MAX));
		window.readWhole(0, 2 * WINDOW_EVENTS_MAX, 0);
		expect(numbersAfter(WINDOW_EVENTS_MAX - 1)).toBeUndefined();
		expect(numbersAfter(WINDOW_EVENTS_MAX)).toHaveLength(WINDOW_EVENTS_MAX);
	});

	it('serves nobody once the backfill is long ago, or the connection was lost', () => {
		const { window, numbersAfter, pass } = open();
		window.observed(events(1, 2));
		window.readWhole(0, 2, 0);
		pass(WINDOW_MS_MAX - 1);
		expect(numbersAfter(1)).toEqual([2]);
		pass(1);
		expect(numbersAfter(1)).toBeUndefined();
		window.readWhole(0, 2, WINDOW_MS_MAX);
		window.forget();
		expect(numbersAfter(1)).toBeUndefined();
	});
});
