import { createMessageTimes } from '../../../packages/core/src/stream/sync/message-times';

describe('the times messages carry', () => {
	const BASE = Date.parse('2026-01-05T09:00:00.000Z');
	const iso = (ms: number) => new Date(BASE + ms).toISOString();

	it('tell how much longer the latest was on its way than the quickest', () => {
		const times = createMessageTimes();
		expect(times.lag()).toEqual({ last_message_at: null, lag_ms: null });
		times.note(iso(0), BASE + 50);
		expect(times.lag()).toEqual({ last_message_at: iso(0), lag_ms: 0 });
		times.note(iso(1_000), BASE + 1_250);
		expect(times.lag()).toEqual({ last_message_at: iso(1_000), lag_ms: 200 });
		times.note(iso(2_000), BASE + 2_010);
		times.note(iso(3_000), BASE + 3_110);
		expect(times.lag()).toEqual({ last_message_at: iso(3_000), lag_ms: 100 });
		times.note('soon', BASE + 4_000);
		times.note(null, BASE + 5_000);
		expect(times.lag()).toEqual({ last_message_at: iso(3_000), lag_ms: 100 });
	});

	it('tell what the clock of the service shows, by the quickest message', () => {
		const times = createMessageTimes();
		expect(times.serviceTime(BASE)).toBe(BASE);
		times.note(iso(60_000), BASE + 100);
		times.note(iso(60_500), BASE + 150);
		times.note(iso(61_000), BASE + 5_000);
		expect(times.serviceTime(BASE + 10_000)).toBe(BASE + 10_000 + 59_900);
	});

	it('are read when somebody asks, and ten times a second', () => {
		const times = createMessageTimes();
		times.note(iso(0), BASE);
		times.note(iso(90), BASE + 50);
		times.note(iso(60), BASE + 99);
		times.note(iso(100), BASE + 100);
		expect(times.lag()).toEqual({ last_message_at: iso(100), lag_ms: 0 });
		times.note(iso(190), BASE + 150);
		expect(times.lag()).toEqual({ last_message_at: iso(190), lag_ms: 0 });
	});
});
