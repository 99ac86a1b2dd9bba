import type { TopicKeys } from '../../../packages/core/src/stream/ledger/topic-keys';
import type { Consumer, Item, StoredCheckpoint, StreamEvent, StreamNotice } from '@partner-exchange/core';
import { streamPolicy } from '@partner-exchange/core/testing';
import { mayRestart } from '../../../packages/core/src/stream/delivery/cursor';
import { createSubscriber, type Subscriber } from '../../../packages/core/src/stream/delivery/subscriber';
import type { History } from '../../../packages/core/src/stream/backfill/history';
import { createBackfill } from '../../../packages/core/src/stream/backfill/backfill';
import { createListSource } from '../../../packages/core/src/stream/backfill/list-source';
import { createSequenceSource } from '../../../packages/core/src/stream/backfill/sequence-source';
import { fills } from '../../../packages/core/src/stream/topics/fills';
import { orders } from '../../../packages/core/src/stream/topics/orders';
import { trades } from '../../../packages/core/src/stream/topics/trades';
import { reach } from '../../../packages/core/src/stream/sync/sequence';
import { newTopic } from '../../../packages/core/src/stream/sync/state';
import type { TopicEvent } from '../../../packages/core/src/stream/topics/event';
import { settled, virtualTime } from '../../simulation/support/time';

/** Everything a backfill of one topic needs: lists set by the test, real subscribers, and virtual time. */
export function backfillStage(topic: string) {
	const time = virtualTime();
	const state = newTopic(time.now(), 0.5, undefined);
	state.isConfirmed = true;
	/** The numbers that the stream has shown. */
	const tracker = {
		highest: () => state.sequence.highest,
		reached: (sequence: number) => reach(state.sequence, sequence, time.now()),
	};
	const keys = new Map<string, TopicKeys>();
	const requests: Item[] = [];
	const observed: string[] = [];
	const notices: string[] = [];
	const service = {
		rows: [] as Item[],
		pageMax: 100,
		/** Returns only the newest rows, newest first, whatever the query. */
		isBackwards: false,
		single: {} as Record<string, Item>,
		fails: undefined as ((input: Item) => boolean) | undefined,
	};

	const history: History = {
		pairOf: async () => await Promise.resolve('USD/NGN'),
		page: async (_list, input) => {
			requests.push(input);
			await Promise.resolve();
			if (service.fails?.(input)) throw new Error('The service failed');
			const { after_sequence: after, offset, status } = input;
			if (service.isBackwards) return service.rows.toReversed().slice(0, service.pageMax);
			const matches = service.rows.filter(
				(row) =>
					(after === undefined || Number(row.sequence) > Number(after)) &&
					(status === undefined || row.status === status),
			);
			return matches.slice(Number(offset ?? 0), Number(offset ?? 0) + service.pageMax);
		},
		read: async (_id, input) => {
			requests.push(input);
			await Promise.resolve();
			const match = service.single[String(input.order_id ?? 'book')];
			if (!match) throw new Error('It is not there');
			return match;
		},
	};

	function subscribe(more: Partial<Consumer> = {}) {
		const events: StreamEvent[] = [];
		const said: StreamNotice[] = [];
		let stored: StoredCheckpoint | undefined;
		const consumer: Consumer = {
			topics: [topic],
			batchMax: 10_000,
			deliver: async (args) => await Promise.resolve(void events.push(...args)),
			onCheckpoint: (options) => void (stored = JSON.parse(JSON.stringify(options)) as StoredCheckpoint),
			onNotice: (notice) => void said.push(notice),
			...more,
		};
		const ignore = (): void => undefined;
		const subscriber: Subscriber = createSubscriber(consumer, {
			...{ policy: streamPolicy, clock: time, random: () => 0.5, isRead: true, keys },
			...{ full: ignore, acknowledged: ignore, failed: ignore, moved: ignore },
		});
		subscriber.begin(topic);
		subscriber.start();
		return {
			subscriber,
			events,
			said,
			stored: () => stored?.topics as Record<string, Record<string, unknown>> | undefined,
			keys: async () => (await settled(), events.map(({ eventKey }) => eventKey)),
		};
	}

	const ports = {
		topic,
		history,
		options: { signal: new AbortController().signal },
		state,
		clock: time,
		policy: streamPolicy,
		observed: (events: readonly TopicEvent[]) => void observed.push(...events.map(({ key }) => key)),
		notice: (_: Subscriber, { kind, text }: { kind: string; text: string }) => void notices.push(`${kind}: ${text}`),
	};
	return { time, state, tracker, keys, requests, observed, notices, service, ports, subscribe };
}

/** A backfill of fills or orders from a list. */
export function listStage(topic: 'user.fills' | 'user.orders') {
	const stage = backfillStage(topic);
	const { records: _, backfill: source, identify } = topic === 'user.fills' ? fills : orders;
	if (source === 'live-only' || source.from !== 'list') throw new Error('It is read back as a list');
	const backfill = createBackfill(createListSource({ ...stage.ports, ...source, identify }), stage.ports);
	const now = stage.time.now();
	const at = (ms: number) => new Date(now + ms).toISOString();
	const fill = (id: string, ms: number): Item => ({ id, order_id: 'o', quantity: '1', created_at: at(ms) });
	const order = (id: string, status: string, ms = 0): Item => ({
		id,
		status,
		filled_quantity: '0',
		created_at: at(ms),
	});
	type SubscribedConsumer = ReturnType<typeof stage.subscribe>;
	return {
		...{ ...stage, backfill, fill, order, now },
		/** Fills one second apart, newest first. */
		down: (count: number, from = 0) =>
			Array.from({ length: count }, (_row, index) => fill(`f${from - index}`, (from - index) * 1_000)),
		offsets: () => stage.requests.splice(0).map(({ offset }) => offset),
		baseline: async ({ subscriber }: SubscribedConsumer, since?: number) => backfill.baseline!(subscriber, () => since),
		run: async (...ones: SubscribedConsumer[]) => backfill.run(ones.map(({ subscriber }) => subscriber)),
		pass: (ms: number) => stage.time.run(stage.time.now() + ms),
	};
}

export const trade = (sequence: number): Item => ({ id: `t${sequence}`, sequence, price: '1', quantity: '1' });
export const tradesUpTo = (last: number, first = 1) =>
	Array.from({ length: last - first + 1 }, (_, index) => trade(first + index));
export const tradeKeys = (last: number, first = 1) => tradesUpTo(last, first).map(({ id }) => `trade:${String(id)}`);

/** A backfill of public trades by sequence number. */
export function tradesStage() {
	const stage = backfillStage('trades.USD_NGN');
	const source = { from: 'sequence', list: 'market.trades' } as const;
	const backfill = createBackfill(
		createSequenceSource({ ...stage.ports, source, identify: trades.identify }),
		stage.ports,
	);
	/** The queries so far, in order; clears them. */
	const requests = () => stage.requests.splice(0).map(({ after_sequence: after }) => after);
	type SubscribedConsumer = ReturnType<typeof stage.subscribe>;
	const baseline = async ({ subscriber }: SubscribedConsumer) => backfill.baseline!(subscriber, () => undefined);
	const run = async (...ones: SubscribedConsumer[]) => backfill.run(ones.map(({ subscriber }) => subscriber));
	/** The numbers may have restarted. */
	const doubt = (...ones: SubscribedConsumer[]) => {
		for (const { subscriber } of ones) mayRestart(subscriber.cursor(stage.ports.topic));
	};
	return { ...stage, backfill, requests, baseline, run, doubt };
}

/** The same with one subscriber, whose first backfill found the trades up to this number. */
export async function baselinedTrades(last = 0) {
	const stage = tradesStage();
	stage.service.rows = tradesUpTo(last);
	const consumer = stage.subscribe();
	await stage.baseline(consumer);
	return { ...stage, consumer };
}
