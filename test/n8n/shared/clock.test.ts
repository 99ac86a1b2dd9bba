import { hostClock } from '../../../nodes/shared/host/clock';

/** Signals that time out when the test triggers them. */
let input: { delayMs: number; end: () => void }[];
let now: number;

beforeEach(() => {
	input = [];
	now = 1_000_003;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((delayMs) => {
		const controller = new AbortController();
		input.push({ delayMs, end: () => controller.abort() });
		return controller.signal;
	});
});
afterEach(() => jest.restoreAllMocks());

const settled = () => new Promise(setImmediate);

describe('the clock inside n8n', () => {
	it('ends many deadlines with one signal', async () => {
		const ended: number[] = [];
		for (let number = 0; number < 40; number += 1) {
			now += 1;
			hostClock.after(15_000, () => ended.push(number));
		}
		expect(input.length).toBeLessThanOrEqual(2);
		for (const { end } of input) end();
		await settled();
		expect(ended).toEqual(Array.from({ length: 40 }, (_, number) => number));
	});

	it('waits at least as long as requested', () => {
		for (const delayMs of [1_001, 1_050, 15_000, 15_049, 60_001]) {
			hostClock.after(delayMs, () => undefined);
			expect(input.at(-1)!.delayMs).toBeGreaterThanOrEqual(delayMs);
			expect(input.at(-1)!.delayMs).toBeLessThanOrEqual(delayMs + 50);
			now += 100;
		}
	});

	it('does not run a cancelled delay, not even together with the delay that ends beside it', async () => {
		const ended: string[] = [];
		const cancel = hostClock.after(20_000, () => ended.push('cancelled'));
		hostClock.after(20_000, () => cancelSecond());
		const cancelSecond = hostClock.after(20_000, () => ended.push('cancelled by the first'));
		hostClock.after(20_000, () => ended.push('kept'));
		cancel();
		for (const { end } of input) end();
		await settled();
		expect(ended).toEqual(['kept']);
	});

	it('starts a new group of delays after one has ended', async () => {
		let ended = 0;
		for (let round = 1; round <= 3; round += 1) {
			hostClock.after(5_000, () => (ended += 1));
			input.at(-1)!.end();
			await settled();
			expect(ended).toBe(round);
		}
	});

	it('lets short delays end by themselves', () => {
		for (const delayMs of [0, 0.5, 10, 1_000]) hostClock.after(delayMs, () => undefined);
		expect(input.map(({ delayMs }) => delayMs)).toEqual([0, 1, 10, 1_000]);
	});
});
