import type { StreamEvent } from '@partner-exchange/core';
import { fillIdOf } from '../fills';
import type { Seen } from '../host';
import { identityOf, TRADES } from '../truth';
import { LATE_FILL_DUE_MS } from '../worlds';
import { dueAt, late, type Verdict } from './verdict';

interface Owed {
	topic: string;
	what: string;
	at: number;
	/** Any of these counts as its delivery: a later state of an order covers the earlier ones. */
	keys: readonly string[];
	/** How much later it may come. */
	laterMs?: number;
}

/** Until the service has heard of a subscription. */
const JOINING_MS = 1_000;

/** Every expected event arrives, in time, and under a single key. */
export function judgeDelivery(seen: Seen, verdict: Verdict): string[] {
	const readyAt = verdict.owesFromTheStart ? seen.beganAt! + JOINING_MS : seen.readyAt;
	if (readyAt === undefined || !seen.isReady) return [`${seen.name} is not ready at the end`];
	const first = new Map<string, number>();
	for (const { at, event } of seen.deliveries) {
		const key = shownBy(event);
		if (!first.has(key)) first.set(key, at);
	}
	const isDue = ({ at, laterMs = 0 }: Owed) => at > readyAt && at < verdict.now - verdict.lateMs - laterMs;
	const broken = owedTo(seen, verdict)
		.filter(isDue)
		.flatMap(({ topic, what, at, keys, laterMs = 0 }) => {
			const arrived = Math.min(...keys.map((key) => first.get(key) ?? Number.POSITIVE_INFINITY));
			if (arrived <= dueAt(topic, at, readyAt, verdict) + laterMs) return [];
			if (arrived === Number.POSITIVE_INFINITY) return [`${seen.name} never got ${what}`];
			return [late(`${seen.name} got ${what}`, at, arrived)];
		});
	return [...broken, ...judgeKeys(seen), ...judgeLast(seen, verdict)];
}

/** What was told of an order last is its last state. */
function judgeLast({ name, consumer, deliveries }: Seen, { truth, now, lateMs, isForgotten }: Verdict): string[] {
	if (consumer.filters) return [];
	const reports = new Map<string, string>();
	for (const { event } of deliveries)
		if (event.topic === 'user.orders')
			reports.set((event.data as { id: string }).id, identityOf(event.eventKey, event.data));
	return [...reports].flatMap(([id, identity]) => {
		const last = truth.orders.get(id)?.at(-1);
		if (last === undefined || isForgotten(id) || last.at >= now - lateMs || last.identity === identity) return [];
		return [`${name} was told ${identity} last, but ${last.identity} is true`];
	});
}

/** Every fill, every trade outside a reported gap, and every state of every order or a later one. */
function owedTo({ consumer, deliveries }: Seen, { truth, isForgotten, isLate, excusesGaps }: Verdict): Owed[] {
	const wants = (topic: string) => consumer.topics.includes(topic);
	const owed: Owed[] = [];
	const gapsOf = new Map(['user.fills', 'user.orders', TRADES].map((topic) => [topic, gapsOfTime(deliveries, topic)]));
	const isTold = (topic: string, at: number) =>
		gapsOf.get(topic)!.some(({ after, before }) => at > after && at < before);
	if (wants('user.fills'))
		for (const { id, at } of truth.fills())
			if (!isForgotten(id) && !isTold('user.fills', at))
				owed.push({
					...{ topic: 'user.fills', what: `fill ${id}`, at, keys: [`fill:${id}`] },
					laterMs: isLate(id) ? LATE_FILL_DUE_MS : 0,
				});
	if (wants(TRADES)) {
		const gaps = excusesGaps ? gapsIn(deliveries) : [];
		for (const { id, at, sequence } of truth.trades())
			if (!gaps.some(({ after, before }) => sequence > after && sequence < before) && !isTold(TRADES, at))
				owed.push({ topic: TRADES, what: `trade ${sequence}`, at, keys: [`trade:${id}`] });
	}
	if (!wants('user.orders')) return owed;
	for (const [id, states] of truth.orders) {
		if (isForgotten(id)) continue;
		const wanted = states.filter(({ status }) => consumer.filters?.statuses?.includes(status) ?? true);
		for (const [index, { at, status }] of wanted.entries())
			if (!isTold('user.orders', at))
				owed.push({
					topic: 'user.orders',
					what: `${status} of order ${id}`,
					at,
					keys: wanted.slice(index).map(({ identity }) => identity),
				});
	}
	return owed;
}

/** Trades beyond the documented bound are reported as a gap, up to the next live one, instead of being delivered. */
function gapsIn(deliveries: Seen['deliveries']): { after: number; before: number }[] {
	const events = deliveries.map(({ event }) => ({ ...event, ...(event.data as { sequence?: number; gap?: Gap }) }));
	return events.flatMap(({ gap }) => {
		if (!gap) return [];
		const live = events.filter(({ delivery }) => delivery !== 'reconciled').map(({ sequence = 0 }) => sequence);
		return [
			{ after: gap.after_sequence, before: Math.min(...live.filter((sequence) => sequence > gap.after_sequence)) },
		];
	});
}

/** What the list does not show is reported as a gap between two times. */
const gapsOfTime = (deliveries: Seen['deliveries'], wanted: string): { after: number; before: number }[] =>
	deliveries.flatMap(({ event: { topic, data } }) => {
		const { gap } = data as { gap?: { after_created_at: string; before_created_at: string } };
		if (!gap || topic !== wanted) return [];
		return { after: Date.parse(gap.after_created_at), before: Date.parse(gap.before_created_at) };
	});

/** A fill may have no ID of its own, so that its key does not identify it. */
const shownBy = ({ topic, data, eventKey }: StreamEvent): string => {
	if (topic === 'user.fills') return `fill:${fillIdOf(data)}`;
	return topic === 'user.orders' ? identityOf(eventKey, data) : eventKey;
};

interface Gap {
	after_sequence: number;
}

/** A host that ignores repeated keys has each fill and each trade exactly once. */
function judgeKeys({ name, deliveries }: Seen): string[] {
	const keys = new Map<string, string>();
	const broken = new Set<string>();
	for (const { event } of deliveries) {
		const id = fillIdOf(event.data);
		if (id === undefined || event.topic === 'user.orders') continue;
		const stored = keys.get(id) ?? event.eventKey;
		if (stored !== event.eventKey) broken.add(`${name} got ${id} as ${stored} and as ${event.eventKey}`);
		keys.set(id, stored);
	}
	return new Set(keys.values()).size < keys.size ? [...broken, `${name} got two things under one key`] : [...broken];
}
