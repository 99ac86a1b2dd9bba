import type { TopicEvent } from '../topics/event';
import { noneSkipped, settleSkipped, skip } from './skipped';
import type { TopicState } from './state';
import type { Subscribers } from './subscribers';

/** Counts the messages that subscribers skip whose filters let nothing of a topic pass. */
export interface Bystanders {
	/** A message was not offered to them. */
	skip(at: number, events?: readonly TopicEvent[]): void;
	/** Updates their counters and positions. */
	settle(): void;
}

export function createBystanders(name: string, state: TopicState, subscribers: Subscribers): Bystanders {
	function settle(): void {
		if (state.skipped.count === 0) return;
		settleSkipped(state.skipped, subscribers.bystanders(), { topic: name, position: state.sequence.position });
		state.skipped = noneSkipped(state.skipped.settledAt);
	}

	return {
		skip: (at, events) => {
			if (subscribers.bystanders().length > 0 && skip(state.skipped, at, events)) settle();
		},
		settle,
	};
}
