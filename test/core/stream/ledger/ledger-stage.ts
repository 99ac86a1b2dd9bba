import { streamPolicy } from '@partner-exchange/core/testing';
import {
	checkpointOf,
	confirmRun,
	forget,
	mayRestart,
	openCursor,
} from '../../../../packages/core/src/stream/delivery/cursor';
import { isSettled, judge, offer } from '../../../../packages/core/src/stream/ledger/judge';
import { acknowledge, type Delta } from '../../../../packages/core/src/stream/ledger/ledger';
import type { StoredLedger } from '../../../../packages/core/src/stream/ledger/stored';
import type { TopicEvent } from '../../../../packages/core/src/stream/topics/event';
import type { Position } from '../../../../packages/core/src/stream/position';

export const NOW = 1_000_000;

/** The cursor of one topic of a consumer. */
export function ledgerOf(stored?: unknown, { isNumbered = false, storedKeysMax = streamPolicy.storedKeysMax } = {}) {
	const topic = isNumbered ? 'trades.USD_NGN' : 'user.fills';
	const cursor = openCursor(topic, stored, { policy: { storedKeysMax }, isRead: true, keys: new Map() });
	cursor.baseline = 'read';
	const { ledger, offered } = cursor;
	const come = (event: TopicEvent, isRead: boolean, position?: Position, now = NOW) =>
		judge(offered, event, { isRead, now, position, isNews: streamPolicy.isNews });
	const live = (event: TopicEvent, position?: Position) => come(event, false, position);
	const take = (delta: Delta) => void acknowledge(ledger, delta, storedKeysMax);
	const checkpoint = () => (checkpointOf(new Map([[topic, cursor]])).topics as Record<string, StoredLedger>)[topic]!;
	return {
		ledger,
		offered,
		live,
		read: (event: TopicEvent, now = NOW) => come(event, true, undefined, now),
		acknowledge: take,
		/** Events that are new, which the host acknowledges at once. */
		take: (...events: TopicEvent[]) => {
			for (const event of events) {
				const delta = live(event);
				if (delta) take(delta);
			}
		},
		/** A delta without an event, offered and acknowledged. */
		settle: (delta: Delta) => {
			offer(offered, delta);
			take(delta);
		},
		restart: () => offer(offered, { isRenumbered: true }),
		isSettled: (row: TopicEvent) => isSettled(offered, row),
		forget: (place: number) => forget(cursor, place),
		mayRestart: (position?: Position) => mayRestart(cursor, position),
		confirmRun: () => confirmRun(cursor),
		stored: checkpoint,
		/** What the next run of the process reads. */
		next: () => ledgerOf(JSON.parse(JSON.stringify(checkpoint())), { isNumbered, storedKeysMax }),
	};
}

export const event = (key: string, more: Partial<TopicEvent> = {}): TopicEvent => ({ key, data: {}, ...more });

const BEGINS = Date.UTC(2026, 0, 5, 9);

/** A public trade, created as many milliseconds after the beginning as its number. */
export function trade(sequence: number, key = `trade:${sequence}`): TopicEvent {
	const item = { created_at: new Date(BEGINS + sequence).toISOString() };
	return { key, sequence, data: item, item };
}

export const timeOfTrade = (sequence: number): number => BEGINS + sequence;
