import { isWildcard } from '../../catalogue';
import { ExchangeError } from '../../errors';
import type { StreamState } from '../contract';
import { failureOf } from '../gaps';
import { EARLY_MS, HANDSHAKE_MS_MAX, IDLE_MS_MAX, PING_EVERY_MS, REFUSALS_CONFIRM, SILENCE_MS_MAX } from '../limits';
import { pingFrame, unsubscribeFrame } from './frames';
import { hasHeld, reconnectDelayMs, refusedDelayMs } from './reconnect';
import { type ConnectionEffect, type ConnectionInput, type ConnectionState, isOpen, newSubscription } from './state';
import {
	dueTopics,
	onRefused,
	onRemoved,
	onSubscribed,
	refuse,
	subscribe,
	subscribeNext,
	topicsThat,
} from './subscriptions';

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
			endSocket(state);
			state.idleAt = undefined;
			return [{ do: 'terminate' }, ...enter(state, 'closed', now)];
		default:
			return [...onTopics(state, input, now), ...goLive(state, now)];
	}
}

/** When the next `woken` is due. */
export function wakesAt(state: ConnectionState): number | undefined {
	const { socketAt = Infinity, idleAt = Infinity, looksAt = Infinity } = state;
	const soonest = Math.min(socketAt, idleAt, looksAt, ...dueTopics(state));
	return Number.isFinite(soonest) ? soonest : undefined;
}

function onWoken(state: ConnectionState, chance: number, now: number): ConnectionEffect[] {
	const isDue = (at = Infinity): boolean => at - now < EARLY_MS;
	if (isDue(state.idleAt)) {
		state.idleAt = undefined;
		return [{ do: 'tell_idle' }];
	}
	if (isDue(state.socketAt)) {
		if (state.phase !== 'connecting') return connect(state, now);
		return end(state, { why: 'It did not open in time', chance }, now);
	}
	const looked = isDue(state.looksAt) ? lookAtSilence(state, chance, now) : [];
	const silent = topicsThat(state, 'requested').filter((topic) => isDue(state.topics.get(topic)!.due));
	// If nothing else was confirmed either, the fault is with the connection and not with these topics.
	if (silent.length > 0 && !state.hasConfirmed)
		return [...looked, ...end(state, { why: 'It confirmed no topic', chance }, now)];
	const refused = silent.flatMap((topic) => refuse(state, topic, now));
	return [...looked, ...refused, ...subscribeNext(state, now), ...goLive(state, now)];
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
			state.hasAsked = true;
			for (const [topic, position] of input.positions) state.topics.get(topic)!.resumedFrom = position;
			return [];
		case 'subscribed':
			return onSubscribed(state, input, now);
		case 'unsubscribed':
			return onRemoved(state, input.topics, now);
		case 'error':
			if (input.kind !== 'limited') return onRefused(state, input, now);
			// The next backoff is longer.
			state.reconnects.limited += 1;
			return end(state, { why: 'The service asked for patience', chance: input.chance }, now);
	}
}

/** All topics are confirmed. */
function goLive(state: ConnectionState, now: number): ConnectionEffect[] {
	const isWaiting = topicsThat(state, 'requested').length > 0;
	return state.phase === 'catching_up' && state.hasConfirmed && !isWaiting ? enter(state, 'live', now) : [];
}

function connect(state: ConnectionState, now: number): ConnectionEffect[] {
	state.socketAt = now + HANDSHAKE_MS_MAX;
	state.socket += 1;
	state.attempts += 1;
	return [...enter(state, 'connecting', now), { do: 'open', socket: state.socket }];
}

function onOpened(state: ConnectionState, now: number): ConnectionEffect[] {
	Object.assign(state, { hasEverOpened: true, attempts: 0, heardAt: now, socketAt: undefined });
	state.reconnects.openedAt = now;
	const entered = enter(state, 'catching_up', now);
	const requested = subscribe(state, [...state.topics.keys()], !state.asksNothing, now);
	return [...entered, ...lookAtSilence(state, 0, now), ...requested];
}

type Ending = Omit<Extract<ConnectionInput, { type: 'closed' }>, 'type'>;

/** The service closed the socket, or did not open it. */
function onClosed(state: ConnectionState, ending: Ending, now: number): ConnectionEffect[] {
	const { code, status } = ending;
	const number = status === undefined ? code && `code ${code}` : `status ${status}`;
	const why = `${isOpen(state) ? 'The service closed it' : 'It did not open'}${number ? ` (${number})` : ''}`;
	return onEnded(state, { ...ending, why }, now);
}

/** Closes this socket, to connect again with backoff. */
const end = (state: ConnectionState, ending: { why: string; chance: number }, now: number): ConnectionEffect[] => [
	{ do: 'terminate' },
	...onEnded(state, ending, now),
];

function onEnded(
	state: ConnectionState,
	{ why, status, refusal, chance }: Ending & { why: string },
	now: number,
): ConnectionEffect[] {
	const wasOpen = isOpen(state);
	// A service may open the connection first, and refuse the key then.
	const isUnused = wasOpen && !state.hasConfirmed && state.topics.size > 0;
	// What was asked for may be what ended it.
	if (wasOpen) state.asksNothing = state.hasAsked && !hasHeld(state.reconnects, now);
	state.failure = failureOf(refusal ?? why, now);
	endSocket(state);
	state.socketAt = now + Math.max(reconnectDelayMs(state.reconnects, now, chance), refusedDelayMs(state.keyRefusals));
	const lost = [...enter(state, isKeyRefused(state) ? 'refused' : 'waiting', now), { do: 'lose' } as const];
	if (wasOpen && !isUnused) return lost;
	const isPrivate = state.access === 'private';
	if (isPrivate && (status === 401 || status === 403)) return [...lost, ...onKeyRefused(state, status, now)];
	if (isPrivate && status === undefined && refusal === undefined) return [...lost, { do: 'diagnose' }];
	return [...lost, ...onUnexplained(state, refusal)];
}

/** Another socket may have opened by the time REST has answered. */
function onDiagnosed(state: ConnectionState, isRefused: boolean, now: number): ConnectionEffect[] {
	if (isOpen(state)) return [];
	return isRefused ? onKeyRefused(state, 401, now) : onUnexplained(state);
}

function onKeyRefused(state: ConnectionState, status: 401 | 403, now: number): ConnectionEffect[] {
	const error = new ExchangeError(status === 403 ? 'forbidden' : 'unauthorized', {
		operation: 'Stream',
		status,
		what: status === 403 ? 'The key may not open the stream' : 'The service does not know this key',
	});
	state.keyRefusals += 1;
	state.failure = failureOf(error, now);
	// A socket that is being opened meanwhile keeps its time.
	if (state.phase === 'connecting') return [];
	// What was found meanwhile makes no wait shorter: the service may have asked for it.
	state.socketAt = Math.max(state.socketAt ?? now, now + refusedDelayMs(state.keyRefusals));
	if (!isKeyRefused(state)) return [];
	// The refusal that confirms it is reported, and no later one.
	const report: ConnectionEffect[] = state.keyRefusals === REFUSALS_CONFIRM ? [{ do: 'tell_refused', error }] : [];
	return [...enter(state, 'refused', now), ...report];
}

/** A single refusal may be temporary. */
const isKeyRefused = ({ keyRefusals }: ConnectionState): boolean => keyRefusals >= REFUSALS_CONFIRM;

/** `refusal`: the host itself does not connect. */
function onUnexplained(state: ConnectionState, refusal?: string): ConnectionEffect[] {
	if (refusal === undefined) state.keyRefusals = 0;
	return state.hasEverOpened ? [] : [{ do: 'tell_unreachable', refusal }];
}

/** Any message is a sign of life; a missing pong alone proves nothing. */
function lookAtSilence(state: ConnectionState, chance: number, now: number): ConnectionEffect[] {
	const silentMs = now - state.heardAt;
	if (silentMs >= SILENCE_MS_MAX) return end(state, { why: 'It said nothing any more', chance }, now);
	state.looksAt = Math.min(state.heardAt + SILENCE_MS_MAX, now + PING_EVERY_MS - (silentMs % PING_EVERY_MS));
	return silentMs >= PING_EVERY_MS ? [{ do: 'send', text: pingFrame() }] : [];
}

function enter(state: ConnectionState, phase: StreamState, now: number): ConnectionEffect[] {
	if (state.phase === phase) return [];
	state.phase = phase;
	state.since = now;
	return [{ do: 'enter', state: phase }];
}

function endSocket(state: ConnectionState): void {
	state.socket += 1;
	state.looksAt = state.socketAt = undefined;
	state.hasConfirmed = state.hasAsked = false;
	for (const subscription of state.topics.values())
		Object.assign(subscription, { is: 'unsubscribed', due: undefined, resumedFrom: undefined });
}
