/** What a stream trigger makes of executions that fail, are lost in a queue, or do not end. */
import type { IDataObject, IRun } from 'n8n-workflow';
import { createPacer } from '../../nodes/shared/delivery/delivery';
import { pauseMsAfter } from '../../nodes/shared/delivery/failure';
import { until as eventually } from '../support/condition';
import type { Emission, RunningTrigger } from '../support/engine-trigger';
import { freshNodes } from './processes';
import { openTriggers, checkpointIn } from './triggers';

const until = (condition: () => boolean) => eventually(condition, { what: String(condition) });
const runOf = (resultData: object, more: Partial<IRun> = {}): Partial<IRun> => ({
	...{ status: 'error', data: { resultData: { runData: {}, ...resultData } } as unknown as IRun['data'] },
	...more,
});
type End = (each: Emission) => void;
const fails: End = (each) => each.finish(runOf({ lastNodeExecuted: 'Post', error: { message: 'The desk is closed' } }));
const never: End = () => undefined;

const carrying = ({ emissions }: RunningTrigger): Emission[] =>
	emissions.filter(({ items, failedItems }) => items.length + failedItems.length > 0);
const keysOf = (trigger: RunningTrigger): unknown[] =>
	carrying(trigger).map(({ items, failedItems }) => [...items, ...failedItems][0]!.json['eventKey']);
const emitKeys = (trigger: RunningTrigger) => carrying(trigger).map(({ deduplicationKey }) => deduplicationKey);

describe('a stream trigger whose workflow fails', () => {
	const { fill, listen: open } = openTriggers();
	/** Ends executions that carry events with these results in turn, and any further ones successfully. */
	const listen = (ends: End[], form: IDataObject, nodeStaticData: IDataObject = {}): Promise<RunningTrigger> =>
		open({
			...{ form, nodeStaticData },
			onEmit: (each) => {
				if (each.items.length + each.failedItems.length === 0) each.skip();
				else (ends.shift() ?? ((last: Emission) => last.finish()))(each);
			},
		});

	it('goes on to the next event after the tries, because the failed execution is in the list', async () => {
		const trigger = await listen([fails, fails], { tries: 2, pauseSeconds: 1 });
		await fill();
		await until(() => carrying(trigger).length === 2);
		await fill();
		await until(() => carrying(trigger).length === 3);
		const [first, again, next] = keysOf(trigger);
		expect([again === first, next === first]).toEqual([true, false]);
		expect(new Set(emitKeys(trigger)).size).toBe(3);
	});

	it('sends a failed event to the second output after the tries, with the reason, and goes on', async () => {
		const trigger = await listen([fails, fails], { tries: 2, pauseSeconds: 1, whenTriesFail: 'failedEvents' });
		await fill();
		await until(() => carrying(trigger).length === 3);
		expect(new Set(keysOf(trigger)).size).toBe(1);
		expect(carrying(trigger)[2]!.failedItems[0]!.json).toMatchObject({
			topic: 'user.fills',
			failure: { tries: 2, node: 'Post', message: 'The desk is closed' },
		});
		await fill();
		await until(() => carrying(trigger).length === 4);
		expect(new Set(keysOf(trigger)).size).toBe(2);
	});

	it('stays at a failed event where asked, over a restart, and then delivers the waiting events', async () => {
		const options = { tries: 1, pauseSeconds: 1, whenTriesFail: 'stop' };
		const first = await listen([fails], { ...options, pauseSeconds: 300 });
		const before = checkpointIn(first.staticData());
		await fill();
		await until(() => carrying(first).length === 1);
		await first.close();
		const second = await listen([fails], options, first.staticData());
		await until(() => carrying(second).length === 1);
		await fill();
		await until(() => new Set(keysOf(second)).size === 2);
		const [event] = keysOf(first);
		expect(keysOf(second).slice(0, 2)).toEqual([event, event]);
		await until(() => checkpointIn(second.staticData()) !== before);
	});

	it('pauses between tries twice as long with each failure, up to five minutes', () => {
		const policy = { tries: 20, pauseSeconds: 2, afterwards: 'continue' as const };
		const seconds = [1, 2, 3, 8, 9, 20].map((failures) => pauseMsAfter(failures, policy) / 1_000);
		expect(seconds).toEqual([2, 4, 8, 256, 300, 300]);
	});

	it('rests after each hand-over as long as its events are worth under a rate limit, and saves up nothing', async () => {
		let now = 0;
		// Time passes only while something waits.
		const after = (delayMs: number, action: () => void) => {
			now += delayMs;
			queueMicrotask(action);
			return () => undefined;
		};
		const pacer = createPacer({ now: () => now, elapsed: () => now, after }, 10);
		const at: number[] = [];
		for (const count of [10, 5, 1, 1]) {
			await pacer.turn(count, new AbortController().signal);
			at.push(now);
		}
		expect(at).toEqual([0, 1_000, 1_500, 1_600]);
	});
});

describe('a stream trigger whose execution was lost', () => {
	const { fill, listen: open } = openTriggers();
	/** Only n8n in queue mode assigns a job ID to a run. */
	const finished: Partial<IRun> = { status: 'success', jobId: '1' };
	const listen = (ends: End[], form: IDataObject = {}): Promise<RunningTrigger> => {
		const keys = new Set<string | undefined>();
		return open({
			...{ form, node: freshNodes().PartnerExchangeTrigger },
			onEmit: (each) => {
				const isKnown = keys.has(each.deduplicationKey);
				keys.add(each.deduplicationKey);
				if (each.items.length === 0) return isKnown ? each.skip() : each.finish(finished);
				(ends.shift() ?? (() => each.finish(finished)))(each);
			},
		});
	};

	it.each([
		['its worker was killed', runOf({ error: { message: 'job stalled more than maxStalledCount' } })],
		['n8n found it crashed', runOf({ error: { message: '' } }, { status: 'crashed' })],
		['the end of another job was taken for its own', runOf({ error: { message: '' } }, { status: 'new' })],
	])('hands an event over again with the same event key where %s', async (_why, run) => {
		const trigger = await listen([(each) => each.finish(run)]);
		await fill();
		await until(() => carrying(trigger).length === 2);
		expect(new Set(keysOf(trigger)).size).toBe(1);
		expect(new Set(emitKeys(trigger)).size).toBe(2);
	});

	it('learns that n8n has a queue, asks for an execution that does not end, and hands its event over again once that is known to have begun', async () => {
		const trigger = await listen([never, (each) => each.skip()], { executionSeconds: 1, connectionNotices: true });
		await fill();
		await until(() => carrying(trigger).length === 3);
		const [begun, question, again] = emitKeys(trigger);
		expect([question === begun, again === begun]).toEqual([true, false]);
		const keys = trigger.emissions.map(({ deduplicationKey }) => deduplicationKey);
		expect(keys.indexOf(begun)).toBeLessThan(keys.findIndex((key) => key !== begun));
		expect(new Set(keysOf(trigger)).size).toBe(1);
		expect(JSON.stringify(trigger.notices())).toMatch(/has not ended after .* wait for it until \d/);
		await fill();
		await until(() => new Set(keysOf(trigger)).size === 2);
	});

	it('takes the end of a slow execution, whatever was handed over meanwhile', async () => {
		const pending: Emission[] = [];
		const hold: End = (each) => void pending.push(each);
		const trigger = await listen([hold, (each) => each.skip(), hold], { executionSeconds: 1 });
		await fill();
		await until(() => pending.length === 2);
		pending[0]!.finish(finished);
		await fill();
		await until(() => new Set(keysOf(trigger)).size === 2);
		pending[1]!.finish(finished);
	});
});
