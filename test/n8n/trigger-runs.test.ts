/** The events a stream trigger hands over again when n8n in queue mode loses their execution. */
import type { IRun } from 'n8n-workflow';
import { until as eventually } from '../support/condition';
import type { Emission, RunningTrigger } from '../support/engine-trigger';
import { fillsIn } from '../support/fills';
import { openTriggers } from './triggers';

const { sandbox, fill, listen: open } = openTriggers();
const until = (condition: () => boolean) => eventually(condition, { what: String(condition) });
/** Only n8n in queue mode assigns a job ID to a run. */
const finished: Partial<IRun> = { status: 'success', jobId: '1' };
const broken = (message: string, status: IRun['status'] = 'error'): Partial<IRun> => ({
	status,
	data: { resultData: { runData: {}, error: { message } } } as unknown as IRun['data'],
});

/** Ends executions that carry events with these results in turn, and any further ones successfully. */
const listen = (ends: ((each: Emission) => void)[], form = {}): Promise<RunningTrigger> => {
	const keys = new Set<string | undefined>();
	return open({
		form,
		onEmit: (each) => {
			const isKnown = keys.has(each.deduplicationKey);
			keys.add(each.deduplicationKey);
			if (each.items.length === 0) return isKnown ? each.skip() : each.finish(finished);
			(ends.shift() ?? (() => each.finish(finished)))(each);
		},
	});
};

const carrying = ({ emissions }: RunningTrigger): Emission[] => emissions.filter(({ items }) => items.length > 0);
const keysOf = (trigger: RunningTrigger): unknown[] => carrying(trigger).map(({ items }) => items[0]!.json['eventKey']);
const emitKeys = (trigger: RunningTrigger) => carrying(trigger).map(({ deduplicationKey }) => deduplicationKey);

describe('a stream trigger whose execution was lost', () => {
	// The first of all, because it does not know yet whether n8n has a queue.
	it('learns by an execution without events that n8n has a queue, and asks for the one that does not end', async () => {
		const trigger = await listen([() => undefined], { executionSeconds: 1 });
		await fill();
		await until(() => carrying(trigger).length === 2);
		const [begun, question] = emitKeys(trigger);
		expect(question).toBe(begun);
		const keys = trigger.emissions.map(({ deduplicationKey }) => deduplicationKey);
		expect(keys.indexOf(begun)).toBeLessThan(keys.findIndex((key) => key !== begun));
	});

	it.each([
		['its worker was killed', broken('job stalled more than maxStalledCount')],
		['n8n found it crashed', broken('', 'crashed')],
		['the end of another job was taken for its own', broken('', 'new')],
	])('hands an event over again with the same event key where %s', async (_why, run) => {
		const trigger = await listen([(each) => each.finish(run)]);
		await fill();
		await until(() => carrying(trigger).length === 2);
		const [key, again] = keysOf(trigger);
		expect(again).toBe(key);
		expect(new Set(emitKeys(trigger)).size).toBe(2);
		await fill();
		await until(() => carrying(trigger).length === 3);
		expect(new Set(keysOf(trigger)).size).toBe(2);
	});

	it('keeps to the tries of the form where the workflow itself failed', async () => {
		const ran = { resultData: { runData: {}, lastNodeExecuted: 'Order' } } as unknown as IRun['data'];
		const trigger = await listen([(each) => each.finish({ status: 'error', data: ran })]);
		await fill();
		await fill();
		await until(() => carrying(trigger).length === 2);
		expect(new Set(keysOf(trigger)).size).toBe(2);
	});

	it('asks for an execution that does not end, and hands its event over again once it is known to have begun', async () => {
		const never = (): void => undefined;
		const trigger = await listen([never, (each) => each.skip()], { executionSeconds: 1 });
		await fill();
		await until(() => carrying(trigger).length === 3);
		const [begun, question, again] = emitKeys(trigger);
		expect(question).toBe(begun);
		expect(again).not.toBe(begun);
		expect(new Set(keysOf(trigger)).size).toBe(1);
		await fill();
		await until(() => new Set(keysOf(trigger)).size === 2);
	});

	it('says what later events wait for, and until when, at half the time an execution may take', async () => {
		const began = Date.now();
		const trigger = await listen([() => undefined], { executionSeconds: 2, connectionNotices: true });
		await fill();
		const texts = (): string[] => trigger.notices().map(({ data }) => String((data as { text: string }).text));
		const said = await eventually(() => texts().find((text) => text.includes('has not ended after 1 s')), {
			what: 'the sentence',
			seen: texts,
		});
		const [until] = /(?<=wait for it until )\S+/.exec(said)!;
		expect(Date.parse(until)).toBeGreaterThan(began + 2_000);
		expect(carrying(trigger)).toHaveLength(1);
	});

	it('takes the end of a slow execution, whatever was handed over meanwhile', async () => {
		const pending: Emission[] = [];
		const hold = (each: Emission): void => void pending.push(each);
		const trigger = await listen([hold, (each) => each.skip(), hold], { executionSeconds: 1 });
		await fill();
		await until(() => pending.length === 2);
		pending[0]!.finish(finished);
		await fill();
		await until(() => new Set(keysOf(trigger)).size === 2);
		pending[1]!.finish(finished);
	});

	it('loses nothing where another process hands the same events over, and says so', async () => {
		const trigger = await listen([(each) => each.skip()], { connectionNotices: true });
		await fill();
		const [fillId] = await fillsIn(sandbox());
		await until(() => keysOf(trigger).filter((key) => String(key).includes(fillId!)).length === 2);
		const notices = trigger.notices().filter(({ topic }) => topic === 'connection');
		expect(JSON.stringify(notices)).toMatch(/second reader/);
	});
});
