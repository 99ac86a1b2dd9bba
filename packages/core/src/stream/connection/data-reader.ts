import { DEPTH_MAX } from '../../wire/json';
import { parseEach } from '../../wire/json-list';
import { createDataHead, type UnparsedFrame } from './data-head';
import type { DataFrame } from './frames';
import { createLatestMessages } from './latest-messages';
import type { SessionChannel } from './session-channel';

/**
 * Reads data messages faster than `readFrame`: a message that no subscriber needs is not parsed, and of the others only
 * the payloads are, those of messages that arrived together at once. A message with another field order, or invalid
 * JSON, is left to `readFrame`. Both readers give the same result for the same message.
 */
export interface DataReader {
	/** `at` is the time of arrival. The result is undefined for a message that `readFrame` has to read. */
	read(texts: readonly string[], at: number): HeadResult[];
	/** Forgets the latest messages, because a replay may repeat them for a subscriber that lacks them. */
	reset(): void;
}

type HeadResult = DataFrame | 'dropped' | undefined;

export function createDataReader(
	channelOf: (topic: string) => Pick<SessionChannel, 'topic' | 'drops'> | undefined,
): DataReader {
	const head = createDataHead();
	const latest = createLatestMessages();

	function readHead(text: string, at: number): UnparsedFrame | 'dropped' | undefined {
		try {
			const topic = head.topicOf(text);
			if (topic === undefined) return undefined;
			const channel = channelOf(topic);
			const seq = head.sequenceOf(text, topic);
			if (!channel || channel.drops(latest.has(text, seq), at)) return 'dropped';
			const frame = head.read(text, channel.topic, seq);
			if (frame) latest.add(text, seq);
			return frame;
		} catch {
			return undefined;
		}
	}

	return {
		read: (texts, at) => {
			const frames: HeadResult[] = [];
			const payloads: string[] = [];
			for (const text of texts) {
				const frame = readHead(text, at);
				if (typeof frame === 'object') payloads.push(frame.data);
				frames.push(frame);
			}
			const values = parseEach(payloads, DEPTH_MAX - 1);
			let next = 0;
			return frames.map((frame) => {
				if (typeof frame !== 'object') return frame;
				frame.data = values[next++];
				return frame.data === undefined ? undefined : frame;
			});
		},
		reset: latest.clear,
	};
}
