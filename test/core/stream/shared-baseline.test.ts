import { createSharedBaseline, type Baseline } from '../../../packages/core/src/stream/backfill/shared-baseline';
import { newTopic } from '../../../packages/core/src/stream/sync/state';
import { complete, distinctEvents, emptyWindow, observe } from '../../../packages/core/src/stream/sync/window';
import type { TopicEvent } from '../../../packages/core/src/stream/topics/event';
import { READ_SPACING_MS, WINDOW_MS_MAX } from '../../../packages/core/src/stream/limits';
import { virtualTime } from '../../simulation/support/time';

const event = (time: number): TopicEvent => ({ key: `k${time}`, data: {}, time });

describe('a first reading', () => {
	function open() {
		const time = virtualTime();
		const state = newTopic(time.now(), 0.5, undefined);
		state.isConfirmed = true;
		const shared = createSharedBaseline(state, { clock: time, needsOpen: false });
		let made = 0;
		const read = async (since?: number) => {
			const reading = async (): Promise<Baseline> => {
				made += 1;
				return await Promise.resolve({ events: [event(5)], after: Math.min(4, since ?? 4), upTo: 5 });
			};
			const events = distinctEvents(await shared(reading, since));
			return { made, keys: events.map(({ key }) => key) };
		};
		return { state, shared, read, pass: (ms: number) => time.run(time.now() + ms) };
	}

	it('a first backfill serves later subscribers with the events since', async () => {
		const { state, read, pass } = open();
		expect(await read()).toEqual({ made: 1, keys: ['k5'] });
		observe(state.window, [event(6), event(7), event(6)]);
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
		const { state, read } = open();
		const before = read();
		state.window = emptyWindow();
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
		const { state, read, pass } = open();
		state.isConfirmed = false;
		await read();
		state.isConfirmed = true;
		await pass(READ_SPACING_MS - 1);
		expect(await read()).toMatchObject({ made: 1 });
		await pass(1);
		expect(await read()).toMatchObject({ made: 2 });
	});

	it('a first backfill stays valid as long as complete backfills confirm it', async () => {
		const { state, read, pass } = open();
		await read();
		await pass(50_000);
		const began = { readAt: state.window.readAt + 50_000, isFollowed: true };
		await pass(5_000);
		complete(state.window, { after: 5, upTo: 9 }, began);
		await pass(WINDOW_MS_MAX - 5_001);
		expect(await read()).toMatchObject({ made: 1 });
		await pass(1);
		expect(await read()).toMatchObject({ made: 2 });
	});

	it('the next subscriber repeats a first backfill that failed', async () => {
		const { shared, read } = open();
		await expect(shared(async () => await Promise.reject(new Error('failed')))).rejects.toThrow('failed');
		expect(await read()).toMatchObject({ made: 1 });
	});
});
