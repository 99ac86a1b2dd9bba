import { HELD_LENGTH_MAX, HELD_MAX } from '../../../packages/core/src/stream/limits';
import { addFrame, newBacklog } from '../../../packages/core/src/stream/sync/backlog';

const frame = (seq: number, length: number) =>
	({ type: 'data', topic: 'trades.USD_NGN', position: { epoch: 'e', seq }, ts: null, data: {}, length }) as const;

describe('live messages that wait for a backfill', () => {
	it.each([
		['number', HELD_MAX, 100],
		['length', 32, HELD_LENGTH_MAX / 32],
	])('a backlog is full at the limit of its %s, and keeps its order', (_, count, length) => {
		const backlog = newBacklog(0);
		const full = Array.from({ length: count }, (__, index) => addFrame(backlog, frame(index, length), false));
		expect(full.indexOf(true)).toBe(count - 1);
		expect(backlog.frames.map(([{ position }]) => position!.seq)).toEqual(full.map((__, index) => index));
	});
});
