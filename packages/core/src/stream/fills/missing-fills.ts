import { inBackground } from '../../background';
import type { Clock } from '../../ports';
import type { History } from '../backfill/history';
import type { StreamPolicy } from '../policy';
import type { TopicEvent } from '../topics/event';
import { createWake } from '../wake';
import { onFill, onOrder, onRead, onWoken, wakesAt } from './check';
import { readOrderFills } from './order-fills';
import { newFillsState, type FillsState } from './state';

/** Compares the fills of each order with its filled quantity, reads missing fills, and reports what stays missing. */
export interface MissingFills {
	readonly state: FillsState;
	/** Adds fills, live or read over REST. */
	count(events: readonly TopicEvent[]): void;
	/** Updates of orders, whose filled quantities the fills have to reach. */
	expect(events: readonly TopicEvent[]): void;
	close(): void;
}

interface MissingFillsPorts {
	clock: Clock;
	policy: Pick<StreamPolicy, 'fillsLateMs'>;
	/** A topic, while it is subscribed. */
	channel(topic: string): MissingFillsChannel | undefined;
	/** Absent without a key, which every private topic needs. */
	history?: History;
}

interface MissingFillsChannel {
	requestReconcile(): void;
	take(events: TopicEvent[]): void;
	tell(notice: TopicEvent): void;
}

/** Runs the check: has the functions of `check.ts` decide what follows from what happens, and does it. */
export function createMissingFills({ clock, policy, channel, history }: MissingFillsPorts): MissingFills {
	const state = newFillsState(policy.fillsLateMs);
	const closed = new AbortController();
	const wake = createWake(clock, look);
	const arm = (): void => wake(closed.signal.aborted ? undefined : wakesAt(state));
	/** Fills from before are not counted, and are read where a sum lacks them. */
	const areBothSubscribed = (): boolean => channel('user.orders') !== undefined && channel('user.fills') !== undefined;

	function look(): void {
		const { isNewestDue, orderId } = onWoken(state, clock.now());
		if (isNewestDue) channel('user.fills')?.requestReconcile();
		if (orderId !== undefined) inBackground(read(orderId));
		arm();
	}

	async function read(orderId: string): Promise<void> {
		const done = await readOrderFills(orderId, history!, { signal: closed.signal })
			.then((events) => channel('user.fills')?.take(events))
			.then(
				() => 'read' as const,
				() => 'reading_failed' as const,
			);
		if (closed.signal.aborted) return;
		const notice = onRead(state, orderId, done, clock.now());
		if (notice) channel('user.fills')?.tell(notice);
		arm();
	}

	return {
		state,
		count: (events) => {
			// Orders that nobody follows any more may still wait for their fills.
			if (state.short.size === 0 && !areBothSubscribed()) return;
			for (const event of events) onFill(state, event);
		},
		expect: (events) => {
			if (!areBothSubscribed()) return;
			for (const event of events) onOrder(state, event, clock.now());
			arm();
		},
		close: () => {
			closed.abort();
			arm();
		},
	};
}
