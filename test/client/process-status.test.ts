import type { StreamStatus } from '@partner-exchange/core/catalogue';
import { processStatus } from '../../packages/core/src/client/process-status';

const clock = { now: () => Date.UTC(2026, 0, 1) };
const none = { open: () => [] };
const empty = processStatus(undefined, none, clock);
const { at, totals, connections, incomplete_fills } = empty;
const stopped: StreamStatus = { at, totals, connections, incomplete_fills, topics: [] };
const topic = { topic: 'user.fills' } as StreamStatus['topics'][number];
const connection = (state: string) => ({ state }) as StreamStatus['connections'][number];
const status = (options: Partial<StreamStatus>): StreamStatus => ({ ...stopped, topics: [topic], ...options });

describe('the status of a process', () => {
	it('reports that no stream runs in the process, and counts nothing', () => {
		expect(empty).toMatchObject({
			running: false,
			text: expect.stringContaining('runs no stream of this account') as string,
			at: '2026-01-01T00:00:00.000Z',
			connections: [],
			topics: [],
			incomplete_fills: [],
			open_intents: [],
			totals: { connections: 0, gaps: 0, open_intents: 0, delivered: { live: 0, replayed: 0, reconciled: 0 } },
		});
	});

	it('reports a stream without a listener, and keeps what it counted', () => {
		const report = processStatus({ ...stopped, totals: { ...totals, gaps: 2 } }, none, clock);
		expect(report).toMatchObject({ running: false, text: empty.text, totals: { gaps: 2, open_intents: 0 } });
	});

	it('counts nothing of an empty status', () => {
		expect(totals).toEqual({
			...{ connections: 0, topics: 0, subscribers: 0, received: 0, waiting: 0, filtered: 0, duplicates: 0 },
			...{
				delivered: { live: 0, replayed: 0, reconciled: 0 },
				gaps: 0,
				reads_waiting: 0,
				incomplete_fills: 0,
				open_intents: 0,
			},
		});
		const { topics, open_intents } = empty;
		expect([connections, topics, incomplete_fills, open_intents]).toEqual([[], [], [], []]);
	});

	it('reports that all is well when every connection is live and nothing is missing', () => {
		const report = processStatus(status({ connections: [connection('live'), connection('live')] }), none, clock);
		expect(report.running).toBe(true);
		expect(report.text).toBe('Every connection is live, and nothing is known to be missing');
	});

	it('counts gaps and the fills that were reported as incomplete', () => {
		const incomplete = [{ told: true }, { told: false }] as StreamStatus['incomplete_fills'];
		const value = status({
			connections: [connection('live')],
			totals: { ...totals, gaps: 2 },
			incomplete_fills: incomplete,
		});
		expect(processStatus(value, none, clock).text).toContain('3 times something may be missing');
	});

	it('names the connections that are not live', () => {
		const value = status({ connections: [connection('live'), connection('connecting')] });
		expect(processStatus(value, none, clock).text).toBe(
			'1 of 2 connections not live (connecting), and nothing is known to be missing',
		);
	});

	it('counts the order writes of unknown outcome', () => {
		const open = [{}] as never[];
		expect(processStatus(undefined, { open: () => open }, clock)).toMatchObject({
			open_intents: open,
			totals: { open_intents: 1 },
		});
	});
});
