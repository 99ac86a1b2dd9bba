import { streamPolicy } from '@partner-exchange/core/testing';
import { createCursor } from '../../../../packages/core/src/stream/delivery/cursor';
import type { TopicEvent } from '../../../../packages/core/src/stream/topics/event';
import type { Position } from '../../../../packages/core/src/stream/position';

export const NOW = 1_000_000;

/** The ledger of one topic of a consumer, with what it was offered. */
export function ledgerOf(stored?: unknown, { isNumbered = false, storedKeysMax = streamPolicy.storedKeysMax } = {}) {
	const cursor = createCursor(stored, { ...streamPolicy, storedKeysMax }, { isNumbered, isRead: true });
	const come = (event: TopicEvent, isRead: boolean, position?: Position, now = NOW) =>
		cursor.judge(event, { isRead, now, position });
	const live = (event: TopicEvent, position?: Position) => come(event, false, position);
	const read = (event: TopicEvent, now = NOW) => come(event, true, undefined, now);
	return {
		...cursor,
		live,
		read,
		/** Events that are new, which the host acknowledges at once. */
		take: (...events: TopicEvent[]) => {
			for (const event of events) {
				const delta = live(event);
				if (delta) cursor.acknowledge(delta);
			}
		},
		/** A delta without an event, offered and acknowledged. */
		settle: (delta: Parameters<typeof cursor.offer>[0]) => {
			cursor.offer(delta);
			cursor.acknowledge(delta);
		},
		restart: () => cursor.offer({ isRenumbered: true }),
		/** What the next run of the process reads. */
		next: () => ledgerOf(JSON.parse(JSON.stringify(cursor.stored())), { isNumbered, storedKeysMax }),
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
