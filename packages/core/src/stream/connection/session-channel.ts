import { ExchangeError } from '../../errors';
import { excerpt } from '../../redaction';
import type { Position } from '../position';
import type { ConnectionEffect, Refusal } from './effects';
import type { DataFrame } from './frames';

/** A topic of a connection, as its session sees it. */
export interface SessionChannel {
	readonly topic: string;
	/** The oldest position of its subscribers; undefined if there is nothing to resume. */
	resumeFrom(): Position | undefined;
	/** The subscription was sent, perhaps with a position to resume from. */
	requested(resumeFrom: Position | undefined): void;
	confirmed(head: Position | undefined, snapshot: unknown, resumedFrom: Position | undefined): void;
	/** The topic was subscribed several times at once, and this is not the first confirmation. */
	confirmedAgain(head: Position | undefined): void;
	/** The service refused the topic. */
	refused(error: ExchangeError): void;
	/** The service refuses a topic that was subscribed before. It is asked for again after `againMs`. */
	unavailable(error: ExchangeError, againMs: number): void;
	lost(): void;
	/** A message and its time of arrival. */
	receive(frame: DataFrame, at: number): void;
	/** Whether a message can be dropped unparsed, because no subscriber wants it. Counts it if so. */
	drops(at: number): boolean;
}

/** What a connection decided about a topic. */
type ChannelEffect = Extract<
	ConnectionEffect,
	{ do: 'confirm' | 'confirm_again' | 'lose_topic' | 'refuse' | 'tell_unavailable' }
>;

/** Tells a channel what was decided, unless it is gone meanwhile. */
export function tellChannel(channel: SessionChannel | undefined, effect: ChannelEffect, apiKey: string): void {
	switch (effect.do) {
		case 'confirm':
			return channel?.confirmed(effect.head, effect.snapshot, effect.resumedFrom);
		case 'confirm_again':
			return channel?.confirmedAgain(effect.head);
		case 'lose_topic':
			return channel?.lost();
		case 'refuse':
			return channel?.refused(refusalOf(effect, apiKey));
		case 'tell_unavailable':
			return channel?.unavailable(refusalOf(effect, apiKey), effect.againMs);
	}
}

function refusalOf({ topic, refusal }: { topic: string; refusal?: Refusal }, apiKey: string): ExchangeError {
	if (!refusal)
		return new ExchangeError('timeout', {
			operation: 'Stream',
			what: `The service does not confirm the topic ${topic}`,
		});
	const code = refusal.kind === 'key' ? 'unauthorized' : refusal.kind === 'forbidden' ? 'forbidden' : 'refused';
	return new ExchangeError(code, {
		operation: 'Stream',
		what: 'The service refused the subscription',
		serviceMessage: excerpt(refusal.text, apiKey) || undefined,
		serviceCode: excerpt(refusal.code, apiKey) || undefined,
	});
}
