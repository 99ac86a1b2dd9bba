import { ExchangeError } from '../../errors';
import { DIAGNOSE_EVERY, HANDSHAKE_MS_MAX, PING_EVERY_MS, REFUSALS_CONFIRM, SILENCE_MS_MAX } from '../limits';
import type { StreamState } from '../contract';
import { failureOf } from '../gaps';
import { type ConnectionEffect, type ConnectionInput, type ConnectionState, isOpen } from './state';
import { pingFrame } from './frames';
import { reconnectDelayMs, refusedDelayMs } from './reconnect';
import { endSubscriptions, subscribe } from './subscriptions';

type Ending = Omit<Extract<ConnectionInput, { type: 'closed' }>, 'type'>;

/** The close code for a message that was too large. A resume would replay it, so the next connection goes without. */
const TOO_LARGE = 1009;

/** Opens a socket. All functions change the state in place. */
export function connect(state: ConnectionState, now: number): ConnectionEffect[] {
	state.socketAt = now + HANDSHAKE_MS_MAX;
	state.socket += 1;
	state.attempts += 1;
	state.reconnects.begun.push(now);
	return [...enter(state, 'connecting', now), { do: 'open', socket: state.socket }];
}

export function onOpened(state: ConnectionState, now: number): ConnectionEffect[] {
	Object.assign(state, { hasEverOpened: true, attempts: 0, heardAt: now, socketAt: undefined });
	state.reconnects.openedAt = now;
	const entered = enter(state, 'catching_up', now);
	const requested = subscribe(state, [...state.topics.keys()], !state.skipsResume, now);
	state.skipsResume = false;
	return [...entered, ...lookAtSilence(state, 0, now), ...requested];
}

/** The service closed the socket, or did not open it. */
export function onClosed(state: ConnectionState, ending: Ending, now: number): ConnectionEffect[] {
	const { code, status } = ending;
	const number = status === undefined ? code && `code ${code}` : `status ${status}`;
	const why = `${isOpen(state) ? 'The service closed it' : 'It did not open'}${number ? ` (${number})` : ''}`;
	return onEnded(state, { ...ending, why }, now);
}

/** Closes this socket, to connect again with backoff. */
export const end = (
	state: ConnectionState,
	ending: { why: string; chance: number },
	now: number,
): ConnectionEffect[] => [{ do: 'terminate' }, ...onEnded(state, ending, now)];

function onEnded(
	state: ConnectionState,
	{ why, code, status, refusal, chance }: Ending & { why: string },
	now: number,
): ConnectionEffect[] {
	const wasOpen = isOpen(state);
	// A service may open the connection first, and refuse the key then.
	const isUnused = wasOpen && !state.hasConfirmed && state.topics.size > 0;
	state.unconfirmed = isUnused ? state.unconfirmed + 1 : 0;
	state.failure = failureOf(why, now);
	endSocket(state, now);
	// Asked each time, because the delay counts this connection.
	const delayMs = reconnectDelayMs(state.reconnects, now, chance);
	state.socketAt = now + Math.max(delayMs, refusedDelayMs(state.keyRefusals));
	if (code === TOO_LARGE) state.skipsResume = true;
	const lost = [...enter(state, isKeyRefused(state) ? 'refused' : 'waiting', now), { do: 'lose' } as const];
	if (!wasOpen) return [...lost, ...onUnopened(state, { status, refusal }, now)];
	const isDue = state.keyRefusals > 0 || isRefusalCode(code) || state.unconfirmed % DIAGNOSE_EVERY === 1;
	return isUnused && isDue && state.access === 'private' ? [...lost, { do: 'diagnose' }] : lost;
}

/** The code for a violated policy, and those that services make of the statuses of HTTP. */
const isRefusalCode = (code = 0): boolean => code === 1008 || (code >= 4400 && code < 4500);

/** Finds out why a socket did not open. */
function onUnopened(
	state: ConnectionState,
	{ status, refusal }: Pick<Ending, 'status' | 'refusal'>,
	now: number,
): ConnectionEffect[] {
	if (refusal !== undefined) {
		state.failure = failureOf(refusal, now);
		return tellUnreachable(state, refusal);
	}
	const isPrivate = state.access === 'private';
	if (isPrivate && (status === 401 || status === 403)) return onKeyRefused(state, status, now);
	const isDue = state.keyRefusals > 0 || state.attempts % DIAGNOSE_EVERY === 1;
	if (isPrivate && status === undefined && isDue) return [{ do: 'diagnose' }];
	return onUnexplained(state);
}

/** Another socket may have opened by the time REST has answered. */
export function onDiagnosed(state: ConnectionState, isRefused: boolean, now: number): ConnectionEffect[] {
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

function onUnexplained(state: ConnectionState): ConnectionEffect[] {
	state.keyRefusals = 0;
	return tellUnreachable(state);
}

const tellUnreachable = ({ hasEverOpened }: ConnectionState, refusal?: string): ConnectionEffect[] =>
	hasEverOpened ? [] : [{ do: 'tell_unreachable', refusal }];

/** Any message is a sign of life; a missing pong alone proves nothing. */
export function lookAtSilence(state: ConnectionState, chance: number, now: number): ConnectionEffect[] {
	const silentMs = now - state.heardAt;
	if (silentMs >= SILENCE_MS_MAX) return end(state, { why: 'It said nothing any more', chance }, now);
	state.looksAt = Math.min(state.heardAt + SILENCE_MS_MAX, now + PING_EVERY_MS - (silentMs % PING_EVERY_MS));
	return silentMs >= PING_EVERY_MS ? [{ do: 'send', text: pingFrame() }] : [];
}

export function enter(state: ConnectionState, phase: StreamState, now: number): ConnectionEffect[] {
	if (state.phase === phase) return [];
	state.phase = phase;
	state.since = now;
	return [{ do: 'enter', state: phase }];
}

export function endSocket(state: ConnectionState, now: number): void {
	state.socket += 1;
	state.looksAt = state.socketAt = undefined;
	endSubscriptions(state, now);
}
