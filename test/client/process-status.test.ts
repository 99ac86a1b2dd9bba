import type { StreamStatus } from '@partner-exchange/core/catalogue';
import { processStatus } from '../../packages/core/src/client/process-status';

const clock = { now: () => Date.UTC(2026, 0, 1) };
const report = (status?: StreamStatus, open: unknown[] = []) =>
	processStatus(status, { open: () => open as never[] }, clock);
const empty = report();
const { at, totals } = empty;
const listening = (states: string[], gaps = 0, incomplete: object[] = []): StreamStatus => ({
	at,
	topics: [{ topic: 'user.fills' } as StreamStatus['topics'][number]],
	connections: states.map((state) => ({ state }) as StreamStatus['connections'][number]),
	totals: { ...totals, gaps },
	incomplete_fills: incomplete as StreamStatus['incomplete_fills'],
});

describe('the status of a process', () => {
	it('says that no stream runs in it, and counts its order writes of unknown outcome', () => {
		expect(empty).toMatchObject({ running: false, at: '2026-01-01T00:00:00.000Z', totals: { open_intents: 0 } });
		expect(empty.text).toContain('runs no stream of this account');
		expect(report(undefined, [{}])).toMatchObject({ open_intents: [{}], totals: { open_intents: 1 } });
	});

	it.each([
		['Every connection is live, and nothing is known to be missing', listening(['live', 'live'])],
		['3 times something may be missing', listening(['live'], 2, [{ told: true }, { told: false }])],
		['1 of 2 connections not live (connecting), and nothing is known', listening(['live', 'connecting'])],
	])('says of a stream that runs: %s', (text, status) => {
		expect(report(status)).toMatchObject({ running: true, text: expect.stringContaining(text) as string });
	});
});
