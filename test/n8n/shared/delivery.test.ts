import { setImmediate as turn } from 'node:timers/promises';
import type { StreamEvent } from '@partner-exchange/core';
import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';
import { deliver, type Delivery } from '../../../nodes/shared/delivery/delivery';
import { recordOf } from '../../../nodes/shared/host/static-data';

const event: StreamEvent = {
	...{ topic: 'user.fills', seq: 1, epoch: 'e', ts: null, data: {}, delivery: 'live', eventKey: 'a' },
};
let workflows = 0;
const AFTER = { checkpoint: 'after the event' };

describe('the delivery of a trigger that lets one event start an execution in a second', () => {
	/** The clock stands, so that the next event waits for its turn until the trigger stops. */
	beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(1_000));
	afterEach(() => jest.restoreAllMocks());

	it.each([
		[1, 'while the next one waits for its turn'],
		[0, 'where none is waiting'],
	])('stores the checkpoint behind an ended event, %i waiting: %s', async (waiting) => {
		const { delivery, written } = open({ waiting, eventsPerSecond: 1 });
		await delivery.deliver([event]);
		delivery.onCheckpoint!(AFTER);
		await turn();
		expect(written()).toEqual([AFTER]);
		await delivery.close();
	});
});

/** A delivery inside an n8n whose executions end at once; `written` is what n8n has stored at emits that ran nothing. */
function open({ waiting, eventsPerSecond }: { waiting: number; eventsPerSecond?: number }): {
	delivery: Delivery;
	written: () => unknown[];
} {
	const data: IDataObject = {};
	const written: unknown[] = [];
	const emit: ITriggerFunctions['emit'] = ([items], _response, done) => {
		if (items!.length === 0)
			written.push(((data[recordOf({ id: 'trigger' })] as IDataObject)?.['value'] as IDataObject)?.['checkpoint']);
		done?.resolve((items!.length === 0 ? undefined : { status: 'success', finished: true }) as IRun);
	};
	const host = {
		...{ emit, getWorkflowStaticData: () => data, helpers: { createDeferredPromise: deferred } },
		...{ getWorkflow: () => ({ id: `workflow-${(workflows += 1)}` }), getNode: () => ({ id: 'trigger' }) },
	} as unknown as ITriggerFunctions;
	const delivery = deliver(
		host,
		{ address: 'somewhere', key: 'digest' },
		{
			...{ isLast: (isPausing) => isPausing || waiting === 0, eventsPerSecond, output: 'whole', executionMsMax: 1_000 },
			failure: { tries: 1, pauseSeconds: 1, afterwards: 'continue' },
			...{ opened: Promise.resolve(), began: () => undefined, warn: () => undefined, giveUp: () => undefined },
		},
	);
	return { delivery, written: () => written };
}

function deferred<T>() {
	let resolve!: (value: T) => void;
	const promise = new Promise<T>((deliveries) => (resolve = deliveries));
	return { promise, resolve, reject: () => undefined };
}
