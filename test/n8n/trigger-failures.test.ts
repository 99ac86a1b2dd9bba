/** A stream trigger whose workflow fails for an event, and how fast it hands over events. */
import type { IDataObject, INodeTypeDescription, IRun, Workflow } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { PartnerExchangeTrigger } from '../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { pauseMsAfter } from '../../nodes/shared/delivery/failure';
import { createPacer } from '../../nodes/shared/delivery/delivery';
import { until as eventually } from '../support/condition';
import { buildWorkflow } from '../support/engine-host';
import type { Emission, RunningTrigger } from '../support/engine-trigger';
import { openTriggers } from './triggers';

const { fill, listen: open } = openTriggers();
const until = (condition: () => boolean) => eventually(condition, { what: String(condition) });
const failed: Partial<IRun> = {
	status: 'error',
	data: {
		resultData: { runData: {}, lastNodeExecuted: 'Post', error: { message: 'The desk is closed' } },
	} as unknown as IRun['data'],
};
const fails = (each: Emission): void => each.finish(failed);
const succeeds = (each: Emission): void => each.finish();

/** Ends executions that carry events with these results in turn, and any further ones successfully. */
const listen = (
	ends: ((each: Emission) => void)[],
	form: IDataObject,
	nodeStaticData: IDataObject = {},
): Promise<RunningTrigger> =>
	open({
		form,
		nodeStaticData,
		onEmit: (each) => {
			if (each.items.length + each.failedItems.length === 0) each.skip();
			else (ends.shift() ?? succeeds)(each);
		},
	});

const keysIn = (items: Emission['items']): unknown[] => items.map(({ json }) => json['eventKey']);
const handedOver = ({ emissions }: RunningTrigger): unknown[] =>
	emissions.filter(({ items }) => items.length > 0).map(({ items }) => keysIn(items)[0]);
const onFailedOutput = ({ emissions }: RunningTrigger) => emissions.flatMap(({ failedItems }) => failedItems);

describe('a stream trigger whose workflow fails', () => {
	it('goes on to the next event after the tries, because the failed execution stands in the list', async () => {
		const trigger = await listen([fails, fails], { tries: 2, pauseSeconds: 1 });
		await fill();
		await until(() => handedOver(trigger).length === 2);
		await fill();
		await until(() => handedOver(trigger).length === 3);
		const [first, again, next] = handedOver(trigger);
		expect(again).toBe(first);
		expect(next).not.toBe(first);
		expect(onFailedOutput(trigger)).toEqual([]);
	});

	it('sends a failed event to the second output after the tries, with the reason, and goes on', async () => {
		const trigger = await listen([fails, fails], { tries: 2, pauseSeconds: 1, whenTriesFail: 'failedEvents' });
		await fill();
		await until(() => onFailedOutput(trigger).length === 1);
		const [failure] = onFailedOutput(trigger);
		expect(handedOver(trigger)).toEqual([failure!.json['eventKey'], failure!.json['eventKey']]);
		expect(failure!.json).toMatchObject({
			topic: 'user.fills',
			failure: { tries: 2, node: 'Post', message: 'The desk is closed' },
		});
		await fill();
		await until(() => handedOver(trigger).length === 3);
		expect(new Set(handedOver(trigger)).size).toBe(2);
	});

	it('stays at a failed event until the workflow succeeds, and then delivers the waiting events', async () => {
		const trigger = await listen([fails, fails], { tries: 1, pauseSeconds: 1, whenTriesFail: 'stop' });
		const before = JSON.stringify(positionsIn(trigger.staticData()));
		await fill();
		await until(() => handedOver(trigger).length === 1);
		await fill();
		await until(() => handedOver(trigger).length === 4);
		const [first, second, third, next] = handedOver(trigger);
		expect([second, third]).toEqual([first, first]);
		expect(next).not.toBe(first);
		await until(() => JSON.stringify(positionsIn(trigger.staticData())) !== before);
	});

	it('starts with the failed event when the trigger is started anew where it stopped at it', async () => {
		const options = { tries: 1, pauseSeconds: 300, whenTriesFail: 'stop' };
		const first = await listen([fails], options);
		await fill();
		await until(() => handedOver(first).length === 1);
		await first.close();
		const second = await listen([], options, first.staticData());
		await until(() => handedOver(second).length === 1);
		expect(handedOver(second)).toEqual(handedOver(first));
	});

	it.each([
		['tries', 21, 'Tries per Event must be a whole number from 1 to 20'],
		['tries', '', 'Tries per Event must be a whole number from 1 to 20'],
		['pauseSeconds', 0, 'Pause Between Tries (Seconds) must be a whole number from 1 to 300'],
		['eventsPerSecond', 'many', 'Events per Second must be a whole number of at least 1'],
		['eventsPerExecution', 1.5, 'Events per Execution must be a whole number from 1 to 10000'],
		['whenTriesFail', 'never', 'When All Tries Fail must be one of continue, failedEvents, stop'],
		['deliverMissed', '', 'Deliver Missed Events is set and empty'],
		['connectionNotices', 'perhaps', 'Emit Connection Notices'],
	])('refuses to start a trigger with %s = %j', async (name, value, what) => {
		await expect(listen([], { [name]: value })).rejects.toThrow(what);
	});
});

describe('the pause between two tries', () => {
	const policy = { tries: 20, pauseSeconds: 2, afterwards: 'continue' as const };

	it('doubles the pause between tries with each failure, up to five minutes', () => {
		const seconds = [1, 2, 3, 8, 9, 20].map((failures) => pauseMsAfter(failures, policy) / 1_000);
		expect(seconds).toEqual([2, 4, 8, 256, 300, 300]);
	});
});

describe('a limit of events per second', () => {
	/** Time that passes only while something waits. */
	function virtual() {
		let now = 0;
		const after = (delayMs: number, action: () => void) => {
			now += delayMs;
			queueMicrotask(action);
			return () => undefined;
		};
		return { now: () => now, elapsed: () => now, after, wait: (ms: number) => void (now += ms) };
	}
	const never = new AbortController().signal;

	it('rests after each hand-over as long as its events are worth under a rate limit', async () => {
		const clock = virtual();
		const pacer = createPacer(clock, 10);
		const at: number[] = [];
		for (const count of [10, 5, 1, 1]) {
			await pacer.turn(count, never);
			at.push(clock.elapsed());
		}
		expect(at).toEqual([0, 1_000, 1_500, 1_600]);
	});

	it('saves up no rate limit while nothing happens', async () => {
		const clock = virtual();
		const pacer = createPacer(clock, 1);
		await pacer.turn(1, never);
		clock.wait(60_000);
		await pacer.turn(1, never);
		await pacer.turn(1, never);
		expect(clock.elapsed()).toBe(61_000);
	});

	it('makes executions no larger than a second of the rate limit allows', async () => {
		const trigger = await listen([], { eventsPerSecond: 2 });
		const witness = await listen([], {});
		for (let count = 0; count < 3; count += 1) await fill();
		await until(() => trigger.items().length >= 3 && witness.items().length >= 3);
		expect(Math.max(...trigger.emissions.map(({ items }) => items.length))).toBeLessThanOrEqual(2);
	});
});

describe('the outputs of the trigger', () => {
	const outputsWith = (options: IDataObject): string[] => {
		const workflow: Workflow = buildWorkflow(
			[{ type: PartnerExchangeTrigger, parameters: { options } as never }],
			undefined,
			{},
		);
		const node = Object.values(workflow.nodes)[0]!;
		const { description } = new PartnerExchangeTrigger() as { description: INodeTypeDescription };
		return NodeHelpers.getNodeOutputs(workflow, node, description).map((output) =>
			typeof output === 'string' ? output : String(output.displayName),
		);
	};

	it('a trigger has one output, and two only where failed events are asked for', () => {
		expect(outputsWith({})).toEqual(['Events', 'Notices']);
		expect(outputsWith({ whenTriesFail: 'stop' })).toEqual(['Events', 'Notices']);
		expect(outputsWith({ whenTriesFail: 'failedEvents' })).toEqual(['Events', 'Failed Events', 'Notices']);
	});
});

/** The positions in what n8n stores for a trigger. */
const positionsIn = (stored: IDataObject): unknown => (stored['value'] as IDataObject | undefined)?.['positions'];
