/* eslint-disable @typescript-eslint/no-explicit-any */
import type { ExchangeError, Item } from '@partner-exchange/core';
import { createSubscriptions, type SessionChannel } from '../../../packages/core/src/stream/connection/subscriptions';
import type { Position } from '../../../packages/core/src/stream/position';
import { virtualTime } from '../../simulation/support/time';
import { ACCOUNT } from './stage';

const SECOND_MS = 1_000;
export const at = (seq: number): Position => ({ epoch: 'e1', seq });

/** The topics of one connection, with the messages sent and the calls made for them. */
export function openSubscriptions(
	topics: Record<string, { position?: Position; isBook?: boolean; wasConfirmed?: boolean }>,
	names = {},
) {
	const time = virtualTime();
	const told: unknown[] = [];
	const sent: Item[] = [];
	const useless = new Set<string>();
	let drops = 0;
	const channels = new Map<string, SessionChannel>();
	for (const [topic, { position, isBook = false, wasConfirmed = false }] of Object.entries(topics)) {
		const ignore = () => undefined;
		channels.set(topic, {
			...{ topic, wantsSnapshot: isBook, resumeFrom: () => position, wasConfirmed: () => wasConfirmed },
			confirmed: (head, snapshot, resumedFrom) => void told.push(['confirmed', topic, head, snapshot, resumedFrom]),
			refused: (error: ExchangeError) =>
				void told.push(['refused', topic, error.code, error.message, error.serviceCode]),
			unavailable: (error, againMs) => void told.push(['unavailable', topic, error.code, againMs / SECOND_MS]),
			...{
				confirmedAgain: ignore,
				asked: ignore,
				lost: ignore,
				receive: ignore,
				drops: () => false,
				hasRoom: () => true,
				stop: ignore,
			},
		});
	}
	const subscriptions = createSubscriptions({
		clock: time,
		account: { ...ACCOUNT, names },
		channels,
		resumeGuard: {
			isUseful: (topic) => !useless.has(topic),
			confirmed: (topic, head, resumedFrom) => void told.push(['guard', topic, head, resumedFrom]),
			...{ heard: () => undefined, ignoreEnd: () => undefined, lost: () => undefined },
		},
		send: (text) => (sent.push(JSON.parse(text) as Item), true),
		afterListening: time.after,
		drop: () => void (drops += 1),
	});
	const frame = (fields: object) => ({
		type: 'subscribed' as const,
		topics: [],
		positions: {},
		snapshots: {},
		...fields,
	});
	const error = (fields: object) => ({
		type: 'error' as const,
		kind: 'other' as const,
		text: '',
		code: '',
		topics: [],
		...fields,
	});
	return {
		...{ subscriptions, channels, useless },
		request: (...wanted: string[]) => subscriptions.request(wanted.map((topic) => channels.get(topic)!)),
		confirm: (...named: string[]) => subscriptions.confirmed(frame({ topics: named })),
		confirmWith: (fields: object) => subscriptions.confirmed(frame(fields)),
		refuse: (fields: object = {}) => subscriptions.refused(error(fields)),
		sent: () => sent.splice(0),
		topics: () => sent.splice(0).map(({ topics: named }) => (named as string[]).join()),
		told: () => told.splice(0).filter(([kind]: any) => kind !== 'guard'),
		guarded: () => told.splice(0).filter(([kind]: any) => kind === 'guard'),
		drops: () => drops,
		pass: (seconds: number) => time.run(time.now() + seconds * SECOND_MS),
	};
}
