import { createBackfillBuffer } from '../../../packages/core/src/stream/sync/backfill-buffer';
import { HELD_LENGTH_MAX, HELD_MAX, HOLD_MS_MAX } from '../../../packages/core/src/stream/limits';
import { virtualTime } from '../../simulation/support/time';

function openBuffer() {
	const time = virtualTime();
	const passed: number[] = [];
	let late = 0;
	const buffer = createBackfillBuffer(
		time,
		({ position }) => passed.push(position!.seq),
		() => (late += 1),
	);
	const receive = (seq: number, length = 100): void => {
		const position = { epoch: 'e', seq };
		const frame = { type: 'data', topic: 'trades.USD_NGN', position, ts: null, data: {}, length } as const;
		if (!buffer.keep(frame, false)) passed.push(seq);
	};
	return { time, buffer, passed, receive, late: () => late };
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('messages held while the history is read', () => {
	it('pass in order when it is read', () => {
		const { buffer, passed, receive } = openBuffer();
		buffer.begin();
		upTo(3).forEach((seq) => receive(seq));
		expect(passed).toEqual([]);
		buffer.release();
		receive(4);
		expect(passed).toEqual(upTo(4));
	});

	it.each([
		['number', HELD_MAX + 5, 100],
		['length', 40, HELD_LENGTH_MAX / 32],
	])('all pass, in order, when their %s is at its limit, which is said', (_, count, length) => {
		const { buffer, passed, receive, late } = openBuffer();
		buffer.begin();
		upTo(count).forEach((seq) => receive(seq, length));
		buffer.release();
		expect(passed).toEqual(upTo(count));
		expect(late()).toBe(1);
	});

	it('all pass when it takes too long, however often it begins anew', async () => {
		const { time, buffer, passed, receive } = openBuffer();
		buffer.begin();
		receive(1);
		await time.run(time.now() + HOLD_MS_MAX - 1);
		buffer.begin();
		receive(2);
		await time.run(time.now() + 1);
		expect(passed).toEqual([1, 2]);
	});
});
