import { distinctEvents } from '../../../packages/core/src/stream/backfill/window';
import { createTopicWindow, type Baseline } from '../../../packages/core/src/stream/backfill/topic-window';
import type { TopicEvent } from '../../../packages/core/src/stream/topics/event';
import { READ_SPACING_MS, WINDOW_MS_MAX } from '../../../packages/core/src/stream/limits';
import { virtualTime } from '../../simulation/support/time';

const event = (time: number): TopicEvent => ({ key: `k${time}`, data: {}, time });

describe('a first reading', () => {
	function open() {
		const time = virtualTime();
		const connection = { isConfirmed: true };
		const window = createTopicWindow({ clock: time, isConfirmed: () => connection.isConfirmed });
		let made = 0;
		const read = async (since?: number) => {
			const reading = async (): Promise<Baseline> => {
				made += 1;
				return await Promise.resolve({ events: [event(5)], after: Math.min(4, since ?? 4), upTo: 5 });
			};
			const events = distinctEvents(await window.first(reading, since));
			return { made, keys: events.map(({ key }) => key) };
		};
		return { window, connection, read, pass: (ms: number) => time.run(time.now() + ms) };
	}

	it('a first backfill serves later subscribers with the events since', async () => {
		const { window, read, pass } = open();
		expect(await read()).toEqual({ made: 1, keys: ['k5'] });
		window.observed([event(6), event(7), event(6)]);
		await pass(WINDOW_MS_MAX - 1);
		expect(await read()).toEqual({ made: 1, keys: ['k5', 'k6', 'k7'] });
		await pass(1);
		expect(await read()).toEqual({ made: 2, keys: ['k5'] });
	});

	it('a first backfill serves all that wait for it', async () => {
		const { read } = open();
		expect(await Promise.all([read(), read(), read()])).toMatchObject([{ made: 1 }, { made: 1 }, { made: 1 }]);
	});

	it('a first backfill of before a lost connection serves those that joined before, and another the later ones', async () => {
		const { window, read } = open();
		const before = read();
		window.forget();
		expect([await before, await read()]).toMatchObject([{ keys: ['k5'] }, { made: 2 }]);
	});

	it('a first backfill is no longer shared if a subscriber has to reach further back', async () => {
		const { read } = open();
		expect(await Promise.all([read(3), read(2), read(3), read()])).toMatchObject(
			Array.from({ length: 4 }, () => ({ made: 2 })),
		);
		expect(await read(1)).toMatchObject({ made: 3 });
	});

	it('a first backfill from before the subscription is shared for READ_SPACING_MS, and not longer', async () => {
		const { connection, read, pass } = open();
		connection.isConfirmed = false;
		await read();
		connection.isConfirmed = true;
		await pass(READ_SPACING_MS - 1);
		expect(await read()).toMatchObject({ made: 1 });
		await pass(1);
		expect(await read()).toMatchObject({ made: 2 });
	});

	it('a first backfill stays valid as long as complete backfills confirm it', async () => {
		const { window, read, pass } = open();
		await read();
		await pass(50_000);
		const complete = window.begin();
		await pass(5_000);
		complete({ after: 5, upTo: 9 });
		await pass(WINDOW_MS_MAX - 5_001);
		expect(await read()).toMatchObject({ made: 1 });
		expect([window.after(4)?.length, window.after(3)]).toEqual([1, undefined]);
		await pass(1);
		expect([await read(), window.after(9)?.length]).toMatchObject([{ made: 2 }, 1]);
	});

	it('a backfill that began before the connection was lost confirms no first one', async () => {
		const { window } = open();
		const complete = window.begin();
		window.forget();
		complete({ after: 0, upTo: 9 });
		expect(window.after(9)).toBeUndefined();
	});

	it('the next subscriber repeats a first backfill that failed', async () => {
		const { window, read } = open();
		await expect(window.first(async () => await Promise.reject(new Error('failed')))).rejects.toThrow('failed');
		expect(await read()).toMatchObject({ made: 1 });
	});
});
