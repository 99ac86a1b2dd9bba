import type { ExchangeError } from '../../errors';
import type { Position } from '../position';
import type { DataFrame } from './frames';

/** A topic of a connection, as its session sees it. */
export interface SessionChannel {
	readonly topic: string;
	/** The oldest position of its subscribers; undefined if there is nothing to resume. */
	resumeFrom(): Position | undefined;
	/** `at`: when a message arrived. */
	happened(news: TopicNews, at?: number): void;
}

/** What a connection tells a topic. */
export type TopicNews =
	| DataFrame
	/** A subscription was sent, perhaps with a position to resume from. */
	| { type: 'requested'; resumeFrom?: Position }
	| { type: 'confirmed'; head?: Position; resumedFrom?: Position; snapshot?: unknown }
	/** The topic was subscribed several times at once, and this is not the first confirmation. */
	| { type: 'confirmed_again'; head?: Position }
	/** `heardAt`: when the last thing was heard on the connection. */
	| { type: 'lost'; heardAt: number }
	/** The service refused the topic, by a message or by its silence. */
	| { type: 'refused'; error: ExchangeError }
	/** The service refuses a topic that was subscribed before. It is asked for again after `againMs`. */
	| { type: 'unavailable'; error: ExchangeError; againMs: number };
