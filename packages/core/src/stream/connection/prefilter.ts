import type { SessionChannel } from './subscriptions';
import type { DataFrame } from './frames';

/**
 * Tells from the text of a message that nobody needs it, so that it is not parsed. This takes the order of names that the
 * document shows; a message that begins in another way is parsed.
 */
export interface Prefilter {
	/** Whether the message is for nobody, or word for word one of the latest. */
	drops(text: string): boolean;
	/** A message was accepted on. */
	accepted(text: string, frame: DataFrame): void;
	/** Something may be replayed for one who did not have it yet. */
	reset(): void;
}

/** A message that comes twice comes twice at once, or nearly so; older ones are recognised by what they tell. */
const REMEMBERED_MAX = 8;
const HEAD = '{"type":"data","topic":"';

export function createPrefilter(channelFor: (topic: string) => Pick<SessionChannel, 'drops'> | undefined): Prefilter {
	let latest: string[] = [];
	let next = 0;

	return {
		drops: (text) => {
			const topic = topicOf(text);
			if (topic === undefined) return false;
			return channelFor(topic)?.drops(topic, latest.includes(text)) ?? true;
		},
		accepted: (text, { epoch, seq }) => {
			// Without its number, a message may be said twice because something happened twice.
			if (epoch === null || seq === null) return;
			latest[next] = text;
			next = (next + 1) % REMEMBERED_MAX;
		},
		reset: () => void (latest = []),
	};
}

function topicOf(text: string): string | undefined {
	const end = text.startsWith(HEAD) ? text.indexOf('"', HEAD.length) : -1;
	const topic = text.slice(HEAD.length, end);
	return end < 0 || topic.includes('\\') ? undefined : topic;
}
