import type { HttpRequest, HttpResponse } from '@partner-exchange/core';
import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import type { Weather } from './weather';

/** The service as the interface describes it, small enough to live through thousands of seeds, with a view of the truth. */
export interface Service {
	/** Opens a session that says what it has to say through `say`. */
	connect(say: (text: string) => void, end: () => void): Session;
	handle(request: HttpRequest): HttpResponse;
	publish(topic: string, data: Item): void;
	/** Sets a record as of now; lists show it once they have caught up. */
	record(list: 'orders' | 'fills' | 'trades', id: string, data: Item): void;
	restart(): void;
	sessions(): number;
}

export interface Session {
	hear(text: string): void;
	close(): void;
}

export type Item = Readonly<Record<string, unknown>>;

interface Topic {
	seq: number;
	kept: { seq: number; text: string }[];
}

interface Resume {
	[topic: string]: { epoch: string; seq: number };
}

/** Fewer than a client asks for, so that it has to page. */
const PAGE_MAX = 25;

export function openService(time: VirtualTime, chance: Random, weather: () => Weather): Service {
	const lists = {
		orders: new Map<string, Version[]>(),
		fills: new Map<string, Version[]>(),
		trades: new Map<string, Version[]>(),
	};
	const sessions = new Set<{ topics: Set<string>; say(text: string): void; end(): void }>();
	const topics = new Map<string, Topic>();
	let restarts = 0;
	let epoch = 'epoch-0';

	function topicOf(name: string): Topic {
		const topic = topics.get(name) ?? { seq: 0, kept: [] };
		topics.set(name, topic);
		return topic;
	}

	function publish(name: string, data: Item): void {
		const topic = topicOf(name);
		topic.seq += weather().sparse ? 1 + chance.below(3) : 1;
		const text = JSON.stringify({
			type: 'data',
			topic: name,
			seq: topic.seq,
			epoch,
			ts: new Date(time.now()).toISOString(),
			data,
		});
		topic.kept.push({ seq: topic.seq, text });
		if (topic.kept.length > Math.max(1, weather().replayed)) topic.kept.shift();
		for (const session of sessions) if (session.topics.has(name)) session.say(text);
	}

	function subscribe(
		session: { topics: Set<string>; say(text: string): void },
		names: readonly string[],
		resume: Resume,
	): void {
		if (chance.happens(weather().unconfirmed)) return;
		if (chance.happens(weather().limited)) return session.say(JSON.stringify({ type: 'error', code: 'rate_limited' }));
		for (const name of names) session.topics.add(name);
		const positions = weather().tellsHead
			? Object.fromEntries(names.map((name) => [name, { epoch, seq: topicOf(name).seq }]))
			: undefined;
		session.say(JSON.stringify({ type: 'subscribed', topics: names, positions }));
		for (const name of names) for (const text of missed(topicOf(name), resume[name])) session.say(text);
	}

	function missed({ kept, seq }: Topic, from: Resume[string] | undefined): string[] {
		if (!from || from.epoch !== epoch || from.seq > seq || weather().replayed === 0) return [];
		// What was kept must reach back to where the other one stands.
		if (from.seq < seq && (kept[0]?.seq ?? seq) > from.seq + 1) return [];
		return kept.filter((message) => message.seq > from.seq).map(({ text }) => text);
	}

	return {
		publish,
		record: (list, id, data) => {
			const versions = lists[list].get(id) ?? [];
			lists[list].set(id, [...versions, { at: time.now(), data }]);
		},
		connect: (say, end) => {
			const session = { topics: new Set<string>(), say, end };
			sessions.add(session);
			return {
				hear: (text) => {
					const message = JSON.parse(text) as { type: string; topics?: string[]; resume?: Resume };
					if (message.type === 'ping') session.say('{"type":"pong"}');
					if (message.type === 'subscribe') subscribe(session, message.topics!, message.resume ?? {});
					if (message.type === 'unsubscribe') for (const name of message.topics!) session.topics.delete(name);
				},
				close: () => void sessions.delete(session),
			};
		},
		handle: (request) => answer(lists, new URL(request.url), time.now() - weather().lagMs),
		restart: () => {
			restarts += 1;
			if (!weather().forgetsEpoch) epoch = `epoch-${restarts}`;
			topics.clear();
			if (!weather().keepsConnections) for (const session of [...sessions]) session.end();
		},
		sessions: () => sessions.size,
	};
}

interface Version {
	at: number;
	data: Item;
}

/** The lists as they were a while ago, newest first; trades after a sequence, oldest first. */
function answer(lists: { [list: string]: Map<string, Version[]> }, url: URL, asOf: number): HttpResponse {
	const [, name, id] = /\/(orders|fills|trades|overview)(?:\/(.+))?$/.exec(url.pathname) ?? [];
	if (name === 'overview') return json(200, { status: 'success', data: { balances: [] } });
	const versions: Version[][] = [...(lists[name ?? '']?.values() ?? [])];
	const shown = versions.map((all) => all.findLast(({ at }) => at <= asOf)?.data).filter((item) => item !== undefined);
	if (id) {
		const found = shown.find((item) => item.id === id);
		return found ? json(200, { status: 'success', data: found }) : json(404, { message: 'There is no such order.' });
	}
	if (name === 'trades') {
		const after = url.searchParams.get('after_sequence');
		const later = shown.filter(({ sequence }) => after === null || Number(sequence) > Number(after));
		return json(200, {
			status: 'success',
			data: { trades: after === null ? later.slice(-PAGE_MAX) : later.slice(0, PAGE_MAX) },
		});
	}
	const from = Number(url.searchParams.get('offset') ?? 0);
	return json(200, { status: 'success', data: { [name!]: shown.reverse().slice(from, from + PAGE_MAX) } });
}

const json = (status: number, body: object): HttpResponse => ({ status, headers: {}, body: JSON.stringify(body) });
