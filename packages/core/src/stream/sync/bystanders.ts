import type { TopicEvent } from '../topics/event';
import { noneSkipped, flushSkipped, skip } from './skipped';
import type { TopicState } from './state';
import type { TopicSubscribers } from './topic-subscribers';

/** Counts the messages that subscribers skip whose filters let nothing of a topic pass. */
export interface Bystanders {
	/** A message was not offered to them. */
	skip(at: number, events?: readonly TopicEvent[]): void;
	/** Updates their counters and positions. */
	flush(): void;
}

export function createBystanders(name: string, state: TopicState, subscribers: TopicSubscribers): Bystanders {
	function flush(): void {
		if (state.skipped.count === 0) return;
		flushSkipped(state.skipped, subscribers.bystanders(), { topic: name, position: state.sequence.position });
		state.skipped = noneSkipped(state.skipped.flushedAt);
	}

	return {
		skip: (at, events) => {
			if (subscribers.bystanders().length > 0 && skip(state.skipped, at, events)) flush();
		},
		flush,
	};
}
