import type { Seen } from '../host';
import { BOOK } from '../truth';

/** Compares the `delivery` field of each event with how its messages arrived. */
export interface Tags {
	/** The process sent a message on the connection to this address. */
	said(text: string, url: string): void;
	/** A message reached the process; `isReplay` is its kind when it was sent. */
	heard(now: number, text: string, isReplay: boolean, url: string): void;
	judge(seen: Seen): string[];
}

interface Heard {
	live: boolean;
	replayed: boolean;
	/** It arrived so soon after a subscription that its kind cannot be known. */
	isUnclear: boolean;
}

interface Request {
	type: string;
	topics?: readonly string[];
	resume?: object;
}

interface Awaited {
	url: string;
	count: number;
	/** After the first confirmation of several, their replays are still under way. */
	until?: number;
}

interface Confirmation {
	topics: readonly string[];
	positions?: Readonly<Record<string, { epoch: string; seq: number }>>;
}

/** If a confirmation does not state the position, messages soon after it count as replayed. */
const UNCLEAR_FOR_MS = 2_000;
/** For so long after the first confirmation others of the same topic come, and what overtakes them. */
const FURTHER_REPLAYS_MS = 6_000;
/** Topic, number and epoch of a message. */
export const messageHead = /^\{"type":"data","topic":"([^"]+)","seq":(\d+),"epoch":"([^"]*)"/;

export function watchTags(tellsHead: boolean): Tags {
	const heard = new Map<string, Heard>();
	let confirmedAt = Number.NEGATIVE_INFINITY;
	const heads = new Map<string, { epoch: string; seq: number }>();
	/** By topic, the replays requested and not confirmed yet: until then nothing tells what belongs to them. */
	const awaited = new Map<string, Awaited>();

	function confirmed(now: number, text: string, url: string): void {
		confirmedAt = now;
		const { topics, positions = {} } = JSON.parse(text) as Confirmation;
		for (const [topic, position] of Object.entries(positions)) heads.set(topic, position);
		for (const [topic, requested] of awaited)
			if (topics.includes(topic) || (topics.length === 0 && requested.url === url))
				requested.until ??= now + (requested.count > 1 ? FURTHER_REPLAYS_MS : 0);
	}

	const isAwaited = (topic: string, now: number): boolean => {
		const requested = awaited.get(topic);
		return requested !== undefined && (requested.until === undefined || now < requested.until);
	};

	return {
		said: (text, url) => {
			const { type, topics = [], resume = {} } = JSON.parse(text) as Request;
			if (type !== 'subscribe') return;
			for (const topic of topics) {
				const { count, until } = awaited.get(topic) ?? { count: 0 };
				if (topic in resume) awaited.set(topic, { url, count: until === undefined ? count + 1 : 1 });
				else awaited.delete(topic);
			}
		},
		heard: (now, text, isReplay, url) => {
			if (text.startsWith('{"type":"subscribed"')) confirmed(now, text, url);
			const [, topic, seq, epoch] = messageHead.exec(text) ?? [];
			if (topic === undefined) return;
			const name = `${topic} ${epoch} ${seq}`;
			const stored = heard.get(name) ?? { live: false, replayed: false, isUnclear: false };
			const head = heads.get(topic);
			// A live message overtaken by a confirmation lies before its position as well.
			const isBefore = head !== undefined && head.epoch === epoch && Number(seq) <= head.seq;
			stored.live ||= !isReplay;
			stored.replayed ||= isReplay || isBefore;
			stored.isUnclear ||= isAwaited(topic, now) || (!tellsHead && (isReplay || now - confirmedAt <= UNCLEAR_FOR_MS));
			heard.set(name, stored);
		},
		judge: ({ name, deliveries }) =>
			deliveries.flatMap(({ event: { topic, seq, epoch, delivery, eventKey } }) => {
				const isRead = delivery === 'reconciled';
				// A payload that is not a valid record of its topic may have arrived without a number.
				if (seq === null && eventKey.startsWith(`${topic}:`)) return [];
				if (isRead !== (seq === null)) return [`${name} got ${eventKey} as ${delivery} with the number ${seq}`];
				if (isRead) return [];
				const message = heard.get(`${topic} ${epoch} ${seq}`);
				if (!message) return [`${name} got ${eventKey} as ${delivery}, of which no message came`];
				// Each change of a book is live, whatever was requested.
				if (message.isUnclear || message[delivery] || topic === BOOK) return [];
				return [`${name} got ${eventKey} as ${delivery}, which it was not`];
			}),
	};
}
