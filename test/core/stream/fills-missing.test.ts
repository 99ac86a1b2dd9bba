import { createMissingFills, incompleteFills } from '../../../packages/core/src/stream/missing-fills';
import type { Item } from '@partner-exchange/core';
import type { History } from '../../../packages/core/src/stream/sources/history';
import type { TopicEvent } from '../../../packages/core/src/stream/topics/event';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import { settled, virtualTime } from '../../simulation/support/time';
import { fill } from './stage';

const SECOND_MS = 1_000;

/** Orders that state their filled quantity, and reads that the test answers. */
function open(reading: () => Promise<void> = async () => undefined) {
	const time = virtualTime();
	const begins = time.now();
	const log: [string, number][] = [];
	const report: TopicEvent[] = [];
	const note = (what: string) => void log.push([what, (time.now() - begins) / SECOND_MS]);
	const wanted = { fills: true, orders: true };
	const delays: number[] = [];
	const feed = {
		requestReconcile: () => note('reconcile'),
		take: () => undefined,
		tell: (notice: TopicEvent) => void report.push(notice),
	};
	const page = async (_list: string, { order_id }: Item): Promise<Item[]> => {
		note(String(order_id));
		await reading();
		return [];
	};
	const missing = createMissingFills({
		clock: { ...time, after: (delayMs, action) => (delays.push(delayMs), time.after(delayMs, action)) },
		policy: { fillsLateMs: 20 * SECOND_MS },
		feed: (topic) => ((topic === 'user.fills' ? wanted.fills : wanted.orders) ? feed : undefined),
		history: { page } as unknown as History,
	});
	return {
		...{ missing, log, report, wanted, delays },
		fill: (id: string, orderId: string, quantity: string) =>
			missing.count([fills.identify(fill(id, orderId, quantity))]),
		order: (id: string, filled: string, status = 'partially_filled') =>
			missing.expect([{ key: id, data: {}, item: { pair_id: 'USD/NGN' }, order: { id, status, filled } }]),
		pass: async (seconds: number) => (await time.run(time.now() + seconds * SECOND_MS), settled()),
	};
}

describe('an order whose fills do not add up', () => {
	it('shows an order whose fills do not add up with its count, since when, and whether it was reported', async () => {
		const { missing, fill: filled, order, report, pass } = open();
		filled('f1', 'o1', '10');
		order('o1', '30');
		expect(incompleteFills(missing.state)).toMatchObject([
			{ order_id: 'o1', expected: '30', counted: '10', told: false },
		]);
		await pass(120);
		expect(incompleteFills(missing.state)).toMatchObject([
			{ order_id: 'o1', expected: '30', counted: '10', told: true },
		]);
		expect(report).toEqual([
			{
				key: 'incomplete_fills:o1:30:10',
				kind: 'incomplete_fills',
				data: {
					...{ order_id: 'o1', pair_id: 'USD/NGN', expected: '30', counted: '10', missing: '20' },
					...{ fills_known: 1, done: 'read' },
				},
				item: { pair_id: 'USD/NGN' },
			},
		]);
	});

	it('reads the newest fills first for an order that is short, then its own, once', async () => {
		const { order, log, pass } = open();
		order('o1', '30');
		await pass(600);
		expect(log.map(([what]) => what)).toEqual(['reconcile', 'o1']);
		expect(log[1]![1]).toBe(20);
	});

	it('checks an order that is short when it is its turn, not with earlier ones', async () => {
		const { order, log, pass } = open();
		order('o1', '30');
		await pass(19);
		order('o2', '30');
		await pass(600);
		expect(log).toEqual([
			['reconcile', 2],
			['o1', 20],
			['reconcile', 21],
			['o2', 39],
		]);
	});

	it('checks an order that is short at the same time although an update repeats the quantity', async () => {
		const { missing, order, log, report, pass } = open();
		order('o1', '30');
		const { since } = incompleteFills(missing.state)[0]!;
		await pass(1);
		order('o1', '30');
		await pass(18);
		order('o1', '30', 'filled');
		expect(incompleteFills(missing.state)).toMatchObject([{ since }]);
		await pass(600);
		order('o1', '30', 'filled');
		await pass(600);
		expect(log).toEqual([
			['reconcile', 2],
			['o1', 20],
		]);
		expect(report).toHaveLength(1);
	});

	it('reads an order that is short once no more of it was filled for long enough', async () => {
		const { missing, order, log, report, pass } = open();
		for (let filled = 1; filled <= 12; filled += 1) {
			order('o1', `${filled}0`);
			await pass(5);
		}
		expect(incompleteFills(missing.state)).toMatchObject([{ expected: '120', told: false }]);
		expect(report).toEqual([]);
		await pass(60);
		expect(log.filter(([what]) => what === 'o1')).toEqual([['o1', 75]]);
		expect(report).toMatchObject([{ key: 'incomplete_fills:o1:120:0' }]);
	});

	it('reports no quantity that came while the fills were read, before its own time', async () => {
		let answer = (): void => undefined;
		const { order, report, pass } = open(async () => new Promise<void>((resolve) => (answer = resolve)));
		order('o1', '30');
		await pass(20);
		order('o1', '40');
		await pass(5);
		answer();
		await pass(10);
		expect(report).toEqual([]);
		await pass(10);
		answer();
		await pass(0);
		expect(report).toMatchObject([{ key: 'incomplete_fills:o1:40:0' }]);
	});

	it('waits anew for an order that was reported once more of it is filled, and forgets it once its fills add up', async () => {
		const { missing, fill: filled, order, pass } = open();
		const shown = () => incompleteFills(missing.state).map(({ expected, told }) => [expected, told]);
		order('o1', '30');
		await pass(60);
		expect(shown()).toEqual([['30', true]]);
		order('o1', '40');
		expect(shown()).toEqual([['40', false]]);
		await pass(60);
		expect(shown()).toEqual([['40', true]]);
		filled('f1', 'o1', '40');
		expect(shown()).toEqual([]);
	});

	it('forgets the first orders that are short if more are than are followed', () => {
		const { missing, order } = open();
		for (let number = 1; number <= 1_001; number += 1) order(`o${number}`, '30');
		order('o2', '40');
		expect([missing.state.short.size, missing.state.short.has('o1')]).toEqual([1_000, false]);
		order('one more', '30');
		expect([missing.state.short.has('o2'), missing.state.short.has('o3')]).toEqual([true, false]);
	});

	it('keeps a plain state, and of an order only what filters look at', () => {
		const { missing, fill: filled, order } = open();
		order('o1', '30');
		filled('f1', 'o1', '10');
		expect(structuredClone(missing.state)).toEqual(missing.state);
		expect(missing.state.short.get('o1')).toMatchObject({ filterable: { pair_id: 'USD/NGN' } });
	});

	it('does not check an order once its fills add up', async () => {
		const { fill: filled, order, log, delays, pass } = open();
		order('o1', '10');
		await pass(1);
		filled('f1', 'o1', '10');
		await pass(600);
		expect(log).toEqual([]);
		expect(delays).toEqual([2_000]);
	});

	it('reads the newest fills for an order although those of another were read just before', async () => {
		const { order, log, pass } = open();
		order('o1', '30');
		await pass(18.5);
		order('o2', '30');
		await pass(3);
		expect(log.slice(1)).toEqual([
			['o1', 20],
			['reconcile', 20.5],
		]);
	});

	it('reads the newest fills for an order although those of another are still being read', async () => {
		const { order, log, pass } = open(async () => new Promise<void>(() => undefined));
		order('o1', '30');
		await pass(30);
		order('o2', '30');
		await pass(60);
		expect(log).toEqual([
			['reconcile', 2],
			['o1', 20],
			['reconcile', 32],
		]);
	});

	it('sets no timer once every short order was reported', async () => {
		const { missing, order, delays, pass } = open();
		missing.expect([{ key: 'no order', data: {} }]);
		order('o1', '30');
		await pass(600);
		expect(incompleteFills(missing.state)).toMatchObject([{ told: true }]);
		// Timers treat an infinite delay as zero.
		expect(delays.filter((delayMs) => !Number.isFinite(delayMs))).toEqual([]);
	});

	it('reads a short order again at growing pauses if that fails, and then reports that it was not read', async () => {
		const { order, log, report, pass } = open(async () => {
			throw new Error('The service failed');
		});
		order('o1', '30');
		await pass(3_600);
		const reads = log.filter(([what]) => what === 'o1').map(([, at]) => at);
		const pauses = reads.slice(1).map((at, index) => at - reads[index]!);
		expect(pauses).toEqual([10, 20, 40]);
		expect(report).toMatchObject([{ data: { done: 'reading_failed' } }]);
	});

	it('drops a short order once its fills came, or nobody wants the fills', async () => {
		const { missing, fill: filled, order, log, wanted, pass } = open();
		order('o1', '30');
		filled('f1', 'o1', '30');
		wanted.fills = false;
		order('o2', '30');
		expect(incompleteFills(missing.state)).toEqual([]);
		await pass(120);
		expect(log.filter(([what]) => what !== 'reconcile')).toEqual([]);
	});

	it('compares an order only with fills that were counted while orders were subscribed', () => {
		const { missing, fill: filled, order, wanted } = open();
		wanted.orders = false;
		filled('f1', 'o1', '30');
		wanted.orders = true;
		order('o1', '30');
		expect(incompleteFills(missing.state)).toMatchObject([{ order_id: 'o1', counted: '0' }]);
	});

	it('a late update does not lower the quantity that fills of an order must reach, unless the order ended', () => {
		const { missing, order } = open();
		const expected = () => incompleteFills(missing.state).map((entry) => entry.expected);
		order('o1', '30');
		order('o1', '20');
		expect(expected()).toEqual(['30']);
		order('o1', '40');
		expect(expected()).toEqual(['40']);
		order('o1', '20', 'cancelled');
		expect(expected()).toEqual(['20']);
		order('o1', '0', 'cancelled');
		expect(expected()).toEqual([]);
	});

	it('checks a short order after the read of another and a pause', async () => {
		let answer = (): void => undefined;
		const { order, log, pass } = open(async () => new Promise<void>((resolve) => (answer = resolve)));
		order('o1', '30');
		order('o2', '30');
		await pass(60);
		order('o3', '30');
		await pass(60);
		const reads = () => log.filter(([what]) => what !== 'reconcile').map(([what]) => what);
		expect(reads()).toEqual(['o1']);
		answer();
		await pass(0);
		expect(reads()).toEqual(['o1']);
		await pass(30);
		expect(reads()).toEqual(['o1', 'o2']);
		answer();
		await pass(60);
		expect(reads()).toEqual(['o1', 'o2', 'o3']);
	});

	it('requests no fills of a short order once the stream is closed', async () => {
		let answer = (): void => undefined;
		const { missing, order, log, report, pass } = open(async () => new Promise<void>((resolve) => (answer = resolve)));
		order('o1', '30');
		order('o2', '30');
		await pass(60);
		missing.close();
		answer();
		order('o3', '30');
		await pass(600);
		expect(log.filter(([what]) => what !== 'reconcile').map(([what]) => what)).toEqual(['o1']);
		expect(report).toEqual([]);
	});

	it('goes on with further short orders although nobody wants the fills when those of one were read', async () => {
		let answer = (): void => undefined;
		const { missing, order, log, wanted, pass } = open(async () => new Promise<void>((resolve) => (answer = resolve)));
		order('o1', '30');
		order('o2', '30');
		await pass(20);
		wanted.fills = false;
		answer();
		await pass(0);
		wanted.fills = true;
		await pass(20);
		expect(log.filter(([what]) => what !== 'reconcile').map(([what]) => what)).toEqual(['o1', 'o2']);
		expect(incompleteFills(missing.state)).toMatchObject([{ told: true }, { told: false }]);
	});
});
