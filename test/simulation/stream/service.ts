import type { HttpRequest, HttpResponse } from '@partner-exchange/core';
import { createExchange, type Exchange, type ExchangeOptions } from '../../../packages/sandbox/src/api/exchange';
import type { Session } from '../../../packages/sandbox/src/api/session';
import { type Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import { logKey, positionOf, type Position } from '../../../packages/sandbox/src/engine/events';
import { dressed, inOwnTimes, undressed, withBook } from './habits';
import { isTooLong, listing, shareOf, type Row } from './lists';
import { messageHead } from './oracle/tags';
import { keepRecords } from './records';
import { openReplica } from './replica';
import { OWN } from './story';
import { numberTrades } from './trades';
import type { Weather } from './weather';

/** The real sandbox exchange and its stream on virtual time, with the properties and faults a service may have. */
export interface Service {
	exchange: Exchange;
	/** Opens a session that sends its messages through `say`. */
	connect(url: string, say: (text: string, isReplay: boolean) => void, end: (facts?: { code?: number }) => void): Wire;
	handle(request: HttpRequest): HttpResponse;
	/** The stream restarts: another epoch, nothing to replay. */
	restart(): void;
	/** Ends every connection. */
	hangUp(): void;
	sessions(): number;
	/** Whether it no longer has an order or a fill. */
	isForgotten(id: string): boolean;
	/** Whether the stream never tells a fill, and its list shows it late. */
	isLate(fillId: string): boolean;
}

export interface Wire {
	hear(text: string): void;
	close(): void;
}

export const API_KEY = 'CANARY-key';
export const ORIGIN = '127.0.0.1:4010';
/** Books come from the matching engine, so they lag only briefly, as behind a cache, and not as lists do. */
const BOOK_LAG_MS_MAX = 4_000;

export interface ServiceWorld {
	seed: number;
	time: VirtualTime;
	chance: Random;
	/** As drawn, and as currently in effect. */
	drawn: Weather;
	weather(): Weather;
	/** The response to a read. */
	request?(url: string, isTooLong: boolean): void;
}

export function openService(world: ServiceWorld): Service {
	const { time, chance, drawn, weather } = world;
	const options = optionsOf(world);
	const replica = drawn.lagMs > 0 ? openReplica(options, time, drawn.lagMs) : undefined;
	const exchange = createExchange({
		...options,
		clock: clockOf(time, () => exchange.catchUp()),
		record: replica?.record,
	});
	const rowLagOf = ({ id }: Pick<Row, 'id'>): number => shareOf(id) * weather().rowLagMs;
	const late = chance.fork('replicas');
	const ends = new Set<() => void>();
	const trades = numberTrades(drawn.trades);
	const records = keepRecords(exchange);

	const isLate = (fillId: string): boolean => drawn.lateFills > 0 && shareOf(fillId) < drawn.lateFills;

	function hear(
		wire: Wire,
		{ say, end }: { say(text: string): void; end(facts?: { code?: number }): void },
		text: string,
	): void {
		const message = JSON.parse(text) as Subscribing;
		if (message.type !== 'subscribe') return wire.hear(text);
		if (drawn.endsReplays === 'unconfirmed' && replays(message)) return end({});
		if (drawn.endsBooks && message.snapshot) return end({ code: TOO_LARGE });
		const refusal = weather().refusedTopics.find((entry) => isDuring(entry) && message.topics.includes(entry.topic));
		if (refusal) {
			say(JSON.stringify({ type: 'error', code: 'unavailable', message: 'Not now.', topic: refusal.topic }));
			const topics = message.topics.filter((topic) => topic !== refusal.topic);
			return topics.length > 0 ? wire.hear(undressed(JSON.stringify({ ...message, topics }), drawn)) : undefined;
		}
		if (chance.happens(weather().unconfirmed)) return;
		if (chance.happens(weather().limited)) return refused(exchange, () => wire.hear(text));
		if (message.resume && drawn.refusesResume) return say('{"type":"error","code":"resume_unavailable"}');
		wire.hear(undressed(text, drawn));
	}

	const isDuring = ({ from, to }: { from: number; to: number }) => time.now() >= from && time.now() < to;

	/** Whether a subscription would bring messages from before it. */
	const replays = ({ resume = {} }: Subscribing): boolean =>
		Object.entries(resume).some(([topic, { epoch, seq }]) => {
			const head = positionOf(exchange.engine.events, logKey(topic, topic.startsWith('user.') ? OWN : null));
			return epoch === head.epoch && seq < head.seq;
		});

	function answerTo(request: HttpRequest): HttpResponse {
		const { lagMs } = weather();
		const { method } = request;
		const url = trades.request(request.url);
		world.request?.(url, isTooLong(url, drawn.lists));
		const missing = method === 'GET' && records.answerTo(url);
		if (missing) return missing;
		const lags = method === 'GET' && lagMs > 0 && (lagMs < BOOK_LAG_MS_MAX || !url.includes('/orderbook/'));
		const from = replica && lags && (drawn.lagShare === 1 || late.happens(drawn.lagShare)) ? replica : exchange;
		const isHidden = (row: Row): boolean =>
			records.isForgotten(row.id) ||
			time.now() - Date.parse(row.created_at) < Math.max(rowLagOf(row), isLate(row.id) ? LATE_FILL_MS : 0);
		const isOfOneOrder = url.includes('order_id=');
		const read = (entry: HttpRequest) => from.handle({ ...entry, path: entry.url.split(ORIGIN, 2)[1]! });
		if (url.includes('/trades?') && (!trades.isPlain() || weather().rowLagMs > 0 || drawn.tradesListed < Infinity))
			return trades.listed((name) => read({ ...request, url: name }), url, {
				isHidden: (row) => time.now() - Date.parse(row.created_at) < rowLagOf(row),
				listedMax: drawn.tradesListed,
				pageMax: drawn.lists.pageMax,
			});
		const answer = listing(
			read,
			drawn,
			isOfOneOrder ? ({ id }) => records.isForgotten(id) : isHidden,
		)({ ...request, url });
		return url.includes('/orderbook/') ? { ...answer, body: withBook(answer.body, drawn.bookStride) } : answer;
	}

	return {
		exchange,
		connect: (url, said, end) => {
			const token = new URL(url).searchParams.get('token') ?? undefined;
			const active = {
				topics: () => [...session.topics.keys()],
				positionOf: (topic: string) => positionOf(exchange.engine.events, logKey(topic, OWN)),
			};
			const heads = new Map<string, Position>();
			const say = (text: string) => {
				const isReplay = isReplayed(text, heads);
				if (isLate(fillIn(text))) return;
				if (isReplay && drawn.endsReplays !== 'never')
					return end(drawn.endsReplays === 'as too large' ? { code: TOO_LARGE } : {});
				for (const view of dressed(trades.show(text), drawn, active)) said(view, isReplay);
			};
			const session: Session = exchange.connect({ send: say, flushed: (then) => time.after(1, then) }, token);
			const ending = () => end();
			ends.add(ending);
			return {
				hear: (text) => hear({ hear: session.receive, close: session.close }, { say, end }, text),
				close: () => {
					ends.delete(ending);
					session.close();
				},
			};
		},
		handle: (request) => {
			const answer = answerTo(request);
			return { ...answer, body: inOwnTimes(answer.body, drawn) };
		},
		restart: () => {
			exchange.catchUp();
			if (drawn.forgetsRecords) records.restart();
			exchange.engine.startEpoch();
		},
		hangUp: () => [...ends].forEach((end) => end()),
		sessions: () => exchange.sessions.size,
		isForgotten: records.isForgotten,
		isLate,
	};
}

interface Subscribing {
	type: string;
	topics: string[];
	snapshot?: boolean;
	resume?: Record<string, Position>;
}

/** The close code for a message that is too large. */
const TOO_LARGE = 1009;
/** How late the list of fills shows some. */
const LATE_FILL_MS = 240_000;

const fillIn = (text: string): string =>
	/^\{"type":"data","topic":"user\.fills".*?"data":\{"id":"([^"]+)"/.exec(text)?.[1] ?? '';

/** Whether a message is from before the latest confirmation of its topic on this connection. */
function isReplayed(text: string, heads: Map<string, Position>): boolean {
	if (text.startsWith('{"type":"subscribed"')) {
		const { positions } = JSON.parse(text) as { positions: Record<string, Position> };
		for (const [topic, position] of Object.entries(positions)) heads.set(topic, position);
	}
	const [, topic, seq, epoch] = messageHead.exec(text) ?? [];
	const head = heads.get(topic ?? '');
	return head !== undefined && head.epoch === epoch && Number(seq) <= head.seq;
}

const optionsOf = ({ seed, time, drawn }: ServiceWorld): ExchangeOptions => ({
	seed,
	now: time.now(),
	keys: [{ key: API_KEY }],
	settings: { orderDelayMs: drawn.orderDelayMs, settlementDelayMs: drawn.settlementDelayMs },
	eventsKept: drawn.replayed,
	dialect: drawn.dialect,
});

/** Runs the exchange when a task falls due, so that it takes effect at that time and not at the next request. */
function clockOf(time: VirtualTime, wake: () => void): NonNullable<ExchangeOptions['clock']> {
	let alarm = Number.POSITIVE_INFINITY;
	const ring = (at: number) => {
		if (alarm === at) alarm = Number.POSITIVE_INFINITY;
		wake();
	};
	return {
		now: time.now,
		wakeAt: (at) => {
			if (at >= alarm) return;
			alarm = at;
			time.at(at, () => ring(at));
		},
	};
}

/** Triggers the exchange's own message limit. */
function refused({ messages }: Exchange, action: () => void): void {
	const { perSecond } = messages;
	messages.perSecond = 0;
	action();
	messages.perSecond = perSecond;
}
