import { eventsOf, topicOf } from '../../../../packages/core/src/stream/topics';
import type { Seen } from '../host';
import { BOOK } from '../truth';

interface Message {
	type: string;
	topic: string;
	epoch: string;
	seq: number;
	ts: string;
	data: unknown;
}

/**
 * Compares stored positions with what reached the process: all events before a position count as acknowledged, so they
 * must have been.
 */
export interface Positions {
	heard(text: string): void;
	/** At a crash. */
	judge(seen: Seen): string[];
}

export function watchPositions(): Positions {
	const heard: (Message & { key: string })[] = [];
	const highest = new Map<string, number>();

	return {
		heard: (text) => {
			if (!text.startsWith('{"type":"data"') || !text.includes('"epoch"')) return;
			const message = JSON.parse(text) as Message;
			// Order updates may be outdated, and a book is not resumed.
			if (message.topic === 'user.orders' || message.topic === BOOK) return;
			const name = `${message.topic} ${message.epoch}`;
			// An overtaken message lies before the position when it arrives; the backfill covers it.
			if (message.seq < (highest.get(name) ?? 0)) return;
			highest.set(name, message.seq);
			const [event] = eventsOf(topicOf(message.topic)!, message);
			heard.push({ ...message, key: event!.key });
		},
		judge: ({ name, consumer, stored, deliveries, readyAt }) => {
			if (stored === undefined || readyAt === undefined || consumer.filters) return [];
			const { topics } = stored as { topics: { [topic: string]: { value: { seq?: number; epoch?: string } } } };
			const keys = new Set(deliveries.map(({ event }) => event.eventKey));
			return heard
				.filter(({ ts }) => Date.parse(ts) > readyAt)
				.filter(({ topic, epoch, seq }) => topics[topic]?.value.epoch === epoch && seq <= topics[topic].value.seq!)
				.filter(({ key }) => !keys.has(key))
				.map(({ key }) => `${name} stored a position beyond ${key}, which it had not taken`);
		},
	};
}
