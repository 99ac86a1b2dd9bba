import { lagOf, noMessageTimes, observeTime, serviceTime } from '../../../packages/core/src/stream/message-times';

describe('the clock of the service', () => {
	const BASE = Date.parse('2026-01-05T09:00:00.000Z');
	const iso = (ms: number) => new Date(BASE + ms).toISOString();

	it('measures the delay of the latest message beyond that of the fastest', () => {
		const times = noMessageTimes();
		expect(lagOf(times)).toEqual({ last_message_at: null, lag_ms: null });
		observeTime(times, iso(0), BASE + 50);
		expect(lagOf(times)).toEqual({ last_message_at: iso(0), lag_ms: 0 });
		observeTime(times, iso(1_000), BASE + 1_250);
		expect(lagOf(times)).toEqual({ last_message_at: iso(1_000), lag_ms: 200 });
		observeTime(times, iso(2_000), BASE + 2_010);
		observeTime(times, iso(3_000), BASE + 3_110);
		expect(lagOf(times)).toEqual({ last_message_at: iso(3_000), lag_ms: 100 });
		observeTime(times, 'soon', BASE + 4_000);
		observeTime(times, null, BASE + 5_000);
		expect(lagOf(times)).toEqual({ last_message_at: iso(3_000), lag_ms: 100 });
	});

	it("estimates the service's clock by the message that arrived fastest", () => {
		const times = noMessageTimes();
		expect(serviceTime(times, BASE)).toBe(BASE);
		observeTime(times, iso(60_000), BASE + 100);
		observeTime(times, iso(60_500), BASE + 150);
		observeTime(times, iso(61_000), BASE + 5_000);
		expect(serviceTime(times, BASE + 10_000)).toBe(BASE + 10_000 + 59_900);
	});

	it("reads the service's clock from a timestamp ten times a second", () => {
		const times = noMessageTimes();
		observeTime(times, iso(0), BASE);
		observeTime(times, iso(90), BASE + 50);
		observeTime(times, iso(60), BASE + 99);
		observeTime(times, iso(100), BASE + 100);
		expect(lagOf(times)).toEqual({ last_message_at: iso(100), lag_ms: 0 });
	});
});
