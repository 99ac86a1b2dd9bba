import { streamPolicy } from '@partner-exchange/core/testing';
import type { Subscriber } from '../../../packages/core/src/stream/delivery/subscriber';
import type { Position } from '../../../packages/core/src/stream/position';
import type { TopicInput, TopicRules } from '../../../packages/core/src/stream/sync/effects';
import { newTopic, type TopicState } from '../../../packages/core/src/stream/sync/state';
import { step } from '../../../packages/core/src/stream/sync/step';

export const NOW = 1_000_000;
export const chance = 0.5;
export const at = (seq: number, epoch = 'e'): Position => ({ epoch, seq });
export const message = (seq: number, epoch = 'e', sequence?: number): TopicInput => ({
	...{ type: 'data', topic: 'trades.USD_NGN', position: at(seq, epoch), ts: null, data: { sequence }, length: 10 },
});
export const confirmed = (options: Partial<Extract<TopicInput, { type: 'confirmed' }>> = {}): TopicInput => ({
	type: 'confirmed',
	...options,
});
export const someone = (position?: Position): Subscriber =>
	({ queue: { lagging: new Map() }, cursor: () => ({ offered: { position } }) }) as unknown as Subscriber;
export const joined = (
	subscriber: Subscriber,
	options: Partial<Extract<TopicInput, { type: 'joined' }>> = {},
): TopicInput => ({
	...{ type: 'joined', subscriber, isReturning: false, isInterested: true, needsBaseline: true },
	...options,
});
export const read = { type: 'read', chance, isForAll: true, hasNews: false } as const;

export const records: TopicRules = {
	...streamPolicy,
	topic: 'user.fills',
	isWildcard: false,
	isBook: false,
	isOrdered: false,
	canRead: true,
	isListed: true,
	readEveryMs: undefined,
};
export const trades: TopicRules = { ...records, isOrdered: true };
export const book: TopicRules = { ...trades, isBook: true };
export const liveOnly: TopicRules = { ...records, canRead: false };

/** A topic after some inputs, and what further ones ask of its runner. */
export function topicAfter(rules: TopicRules, ...inputs: TopicInput[]) {
	const state = newTopic(NOW, chance, rules.readEveryMs);
	const take = (input: TopicInput, afterMs = 0) => step(rules, state, input, NOW + afterMs);
	for (const input of inputs) take(input);
	return { state, take, effects: (input: TopicInput, afterMs = 0) => take(input, afterMs).map((effect) => effect.do) };
}

export const dueIn = ({ schedule }: TopicState): number[] => schedule.due.map((moment) => moment - NOW);
