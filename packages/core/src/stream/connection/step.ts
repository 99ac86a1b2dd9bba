import { isWildcard } from '../../catalogue';
import { EARLY_MS, IDLE_MS_MAX } from '../limits';
import { type ConnectionEffect, type ConnectionInput, type ConnectionState, isOpen, newSubscription } from './state';
import { unsubscribeFrame } from './frames';
import { connect, end, endSocket, enter, lookAtSilence, onClosed, onDiagnosed, onOpened } from './socket';
import { change, onRefused, onRemoved, onSubscribed, onUnconfirmed, subscribe, subscribeNext } from './subscriptions';

/** One step of a connection: what follows from an input. Pure but for the state, which is changed in place. */
export function step(state: ConnectionState, input: ConnectionInput, now: number): ConnectionEffect[] {
	if (state.phase === 'closed') return [];
	switch (input.type) {
		case 'begun':
			return connect(state, now);
		case 'opened':
			return onOpened(state, now);
		case 'closed':
			return onClosed(state, input, now);
		case 'broken':
			return end(state, input, now);
		case 'diagnosed':
			return onDiagnosed(state, input.isRefused, now);
		case 'woken':
			return onWoken(state, input.chance, now);
		case 'given_up':
			endSocket(state, now);
			state.idleAt = undefined;
			return [{ do: 'terminate' }, ...enter(state, 'closed', now)];
		default:
			return [...onTopics(state, input, now), ...goLive(state, now)];
	}
}

type TopicsInput = Extract<
	ConnectionInput,
	{ type: 'attached' | 'wanted' | 'detached' | 'resumed' | 'subscribed' | 'unsubscribed' | 'error' }
>;

function onTopics(state: ConnectionState, input: TopicsInput, now: number): ConnectionEffect[] {
	switch (input.type) {
		case 'attached':
			state.idleAt = undefined;
			state.topics.set(input.topic, newSubscription(input.isBook));
			state.wildcards = [...state.topics.keys()].filter(isWildcard);
			return isOpen(state) ? subscribe(state, [input.topic], true, now) : [];
		case 'wanted':
			return isOpen(state) ? subscribe(state, [input.topic], true, now) : [];
		case 'detached':
			if (!state.topics.delete(input.topic)) return [];
			state.wildcards = state.wildcards.filter((topic) => topic !== input.topic);
			if (state.topics.size === 0) state.idleAt ??= now + IDLE_MS_MAX;
			return isOpen(state) ? [{ do: 'send', text: unsubscribeFrame([input.topic]) }, ...subscribeNext(state, now)] : [];
		case 'resumed':
			for (const [topic, position] of input.positions) state.topics.get(topic)!.resumedFrom = position;
			return [];
		case 'subscribed':
			return onSubscribed(state, input, now);
		case 'unsubscribed':
			return onRemoved(state, input.topics, now);
		case 'error':
			if (input.kind !== 'limited') return onRefused(state, input, now);
			// The connection ends for a reason that has nothing to do with a replay, and the next backoff is longer.
			for (const subscription of state.topics.values()) subscription.replaySince = undefined;
			state.reconnects.limited += 1;
			return end(state, { why: 'The service asked for patience', chance: input.chance }, now);
	}
}

/** All topics are confirmed. */
function goLive(state: ConnectionState, now: number): ConnectionEffect[] {
	const isWaiting = [...state.topics.values()].some(({ is }) => is === 'requested');
	return state.phase === 'catching_up' && state.hasConfirmed && !isWaiting ? enter(state, 'live', now) : [];
}

function onWoken(state: ConnectionState, chance: number, now: number): ConnectionEffect[] {
	const isDue = (at: number | undefined): boolean => at !== undefined && at - now < EARLY_MS;
	if (isDue(state.idleAt)) {
		state.idleAt = undefined;
		return [{ do: 'tell_idle' }];
	}
	if (isDue(state.socketAt)) {
		if (state.phase !== 'connecting') return connect(state, now);
		return end(state, { why: 'It did not open in time', chance }, now);
	}
	const looked = isDue(state.looksAt) ? lookAtSilence(state, chance, now) : [];
	return [...looked, ...onDueTopics(state, { isDue, chance, now })];
}

function onDueTopics(
	state: ConnectionState,
	{ isDue, chance, now }: { isDue(at: number | undefined): boolean; chance: number; now: number },
): ConnectionEffect[] {
	const effects: ConnectionEffect[] = [];
	for (const [topic, subscription] of state.topics) {
		if (!isDue(subscription.due)) continue;
		if (subscription.is === 'retrying') change(subscription, { is: 'queued', due: undefined });
		else if (state.hasConfirmed) effects.push(...onUnconfirmed(state, topic, now));
		else {
			// If nothing else was confirmed either, the fault is with the connection and not with this topic.
			state.inVain += 1;
			return [...effects, ...end(state, { why: 'It confirmed no topic', chance }, now)];
		}
	}
	return [...effects, ...subscribeNext(state, now), ...goLive(state, now)];
}

/** When the next `woken` is due. */
export function wakesAt({ socketAt, idleAt, looksAt, topics }: ConnectionState): number | undefined {
	const moments = [socketAt, idleAt, looksAt, ...[...topics.values()].map(({ due }) => due)];
	const soonest = Math.min(...moments.map((at) => at ?? Infinity));
	return Number.isFinite(soonest) ? soonest : undefined;
}
