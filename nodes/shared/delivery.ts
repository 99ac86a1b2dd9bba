import { sleep, type Consumer, type StoredPositions, type StreamEvent } from '@partner-exchange/core';
import { createHash } from 'crypto';
import { deepCopy, type IDataObject, type INodeExecutionData, type IRun, type ITriggerFunctions } from 'n8n-workflow';
import { hostClock } from './clock';

/** n8n keeps deduplication keys in a column of 255 characters. */
const KEY_LENGTH_MAX = 255;
/** Stopping a workflow does not wait longer than this for its last execution, and for its last position to be written. */
const STOP_MS_MAX = 2_000;

/** What a trigger keeps between runs, in n8n's static data of the node. */
interface Kept {
	/** Whose positions they are: those of another account mean nothing. */
	owner?: string;
	positions?: StoredPositions;
	/** Counts the starts that followed a crash. */
	life?: number;
	/** Whether the last stop was a clean one. */
	closed?: boolean;
}

export interface Delivery extends Pick<Consumer, 'take' | 'moved' | 'positions'> {
	/** Has the last position written down. */
	close(): Promise<void>;
}

/**
 * Hands events to the workflow and moves on when it has run. n8n writes static data with each emit and at no other time:
 * a position is put there before the next emit, and what a crash leaves unwritten is delivered again.
 */
export function deliver(host: ITriggerFunctions, owner: string, tries: number): Delivery {
	const kept = host.getWorkflowStaticData('node') as Kept;
	if (kept.owner !== owner) Object.assign(kept, { owner, positions: undefined, closed: true });
	// n8n refuses a key it has seen, even of a run that crashed. Another life has other keys, so such events run again.
	if (!kept.closed) kept.life = (kept.life ?? 0) + 1;
	kept.closed = false;
	const prefix = `pe:${host.getWorkflow().id}:${host.getNode().id}:${kept.life ?? 0}:`;
	/** The key of the latest execution that has ended. */
	let ended: string | undefined;
	let handing: Promise<void> | undefined;

	async function hand(events: StreamEvent[]): Promise<void> {
		const key = keyOf(events, prefix);
		for (let attempt = 1; attempt <= tries; attempt += 1) {
			const tried = attempt === 1 ? key : `${key}#${attempt}`;
			const run = await emit(host, events.map(itemOf), tried);
			ended = tried;
			if (run?.status !== 'error') return;
		}
	}

	return {
		positions: kept.positions && deepCopy(kept.positions),
		take: (events) => (handing = hand(events).finally(() => (handing = undefined))),
		moved: (positions) => void (kept.positions = positions),
		close: async () => {
			if (handing) {
				await soon(handing);
				// The position behind it is reported within the same turn.
				await sleep(hostClock, 0);
			}
			if (ended === undefined) return;
			// An execution that has not ended by now may never do so, which is a crash to the next run.
			kept.closed = handing === undefined;
			// Nothing runs for a key that has run, but the static data is written. The key of a run that has not begun
			// would be taken over by this one, and its events would be lost.
			await soon(emit(host, [], ended));
		},
	};
}

/** Waits for something that may last as long as an execution, but not for longer than a stop may take. */
export async function soon(done: Promise<unknown>): Promise<void> {
	await Promise.race([done.catch(() => undefined), sleep(hostClock, STOP_MS_MAX)]);
}

/** Starts an execution; resolves when it has ended, with nothing if n8n knows the key already. */
async function emit(host: ITriggerFunctions, items: INodeExecutionData[], key: string): Promise<IRun | undefined> {
	const done = host.helpers.createDeferredPromise<IRun>();
	host.emit([items], undefined, done, key);
	return await done.promise;
}

/** The same for the same events, however often they come. */
function keyOf(events: StreamEvent[], prefix: string): string {
	const [first, ...others] = events.map(({ eventKey }) => eventKey);
	const plain = `${prefix}${first}`;
	if (others.length === 0 && plain.length < KEY_LENGTH_MAX - 3) return plain;
	return `${prefix}${createHash('sha256')
		.update(JSON.stringify([first, ...others]))
		.digest('hex')}`;
}

export const itemOf = (event: StreamEvent): INodeExecutionData => ({ json: { ...event } as unknown as IDataObject });
