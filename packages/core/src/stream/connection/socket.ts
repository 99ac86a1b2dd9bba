import { HANDSHAKE_MS_MAX, PING_EVERY_MS, SILENCE_MS_MAX } from '../limits';
import type { StreamState } from '../contract';
import type { ConnectionEffect, ConnectionInput } from './effects';
import { pingFrame } from './frames';
import { isDiagnosisDue, isJustRefused, isRefusal, isRefused, refusedDelayMs } from './key-refusals';
import { dueAfter, newListeningTime } from './listening-time';
import { reconnectDelayMs } from './reconnect';
import { endReplays } from './resume-guard';
import { isOpen, type ConnectionState } from './state';
import { endSubscriptions, subscribe } from './subscribing';

type Ending = Omit<Extract<ConnectionInput, { type: 'closed' }>, 'type'>;

/** The close code for a message that was too large. A resume would replay it, so the next connection goes without. */
const TOO_LARGE = 1009;

/** Opens a socket. All functions change the state in place. */
export function connect(state: ConnectionState, now: number): ConnectionEffect[] {
	state.socketAt = now + HANDSHAKE_MS_MAX;
	state.attempts += 1;
	state.reconnects.begun.push(now);
	return [...enter(state, 'connecting', now), { do: 'open' }];
}

export function onOpened(state: ConnectionState, now: number): ConnectionEffect[] {
	Object.assign(state.keyRefusals, { hasEverOpened: true, unopened: 0, count: 0 });
	state.socketAt = undefined;
	state.listening = newListeningTime();
	state.attempts = 0;
	state.reconnects.openedAt = now;
	state.heardAt = now;
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
	return [{ do: 'log', why }, ...onEnded(state, ending, now)];
}

/** Closes this socket, to connect again with backoff. */
export function end(
	state: ConnectionState,
	{ why, chance }: { why: string; chance: number },
	now: number,
): ConnectionEffect[] {
	return [{ do: 'terminate' }, { do: 'log', why }, ...onEnded(state, { chance }, now)];
}

function onEnded(state: ConnectionState, { code, status, refusal, chance }: Ending, now: number): ConnectionEffect[] {
	const { keyRefusals } = state;
	const wasOpen = isOpen(state);
	if (!wasOpen) keyRefusals.unopened += 1;
	endSocket(state);
	const delayMs = reconnectDelayMs(state.reconnects, now, chance);
	// A refusal that REST has not confirmed yet counts for the pause.
	const isNewRefusal = !wasOpen && isRefusal(status);
	const refusedMs = refusedDelayMs(keyRefusals.count + (isNewRefusal ? 1 : 0));
	state.socketAt = now + (isNewRefusal ? refusedMs : Math.max(delayMs, refusedMs));
	if (code === TOO_LARGE) state.skipsResume = true;
	endReplays(state.replays, now);
	const entered = enter(state, isRefused(keyRefusals) ? 'refused' : 'waiting', now);
	return [...entered, { do: 'lose' }, ...(wasOpen ? [] : examine(state, { status, refusal }, now))];
}

/** Finds out why a socket did not open. */
function examine(
	state: ConnectionState,
	{ status, refusal }: { status?: number; refusal?: string },
	now: number,
): ConnectionEffect[] {
	if (refusal !== undefined) return [{ do: 'log', why: refusal }, ...tellUnreachable(state, refusal)];
	return isDiagnosisDue(state.keyRefusals, status) ? [{ do: 'diagnose', status }] : onDiagnosed(state, {}, now);
}

/** Another socket may have opened by the time REST has answered. */
export function onDiagnosed(
	state: ConnectionState,
	{ error }: Omit<Extract<ConnectionInput, { type: 'diagnosed' }>, 'type'>,
	now: number,
): ConnectionEffect[] {
	const { keyRefusals } = state;
	if (isOpen(state)) return [];
	keyRefusals.count = error ? keyRefusals.count + 1 : 0;
	if (!error) return tellUnreachable(state);
	const logged: ConnectionEffect = { do: 'log', why: error };
	if (state.phase === 'connecting') return [logged];
	state.socketAt = now + refusedDelayMs(keyRefusals.count);
	if (!isRefused(keyRefusals)) return [logged];
	const effects: ConnectionEffect[] = isJustRefused(keyRefusals) ? [{ do: 'tell_refused', error }] : [];
	return [logged, ...enter(state, 'refused', now), ...effects];
}

const tellUnreachable = ({ keyRefusals }: ConnectionState, refusal?: string): ConnectionEffect[] =>
	keyRefusals.hasEverOpened ? [] : [{ do: 'tell_unreachable', refusal }];

/** Any message is a sign of life; a missing pong alone proves nothing. */
export function lookAtSilence(state: ConnectionState, chance: number, now: number): ConnectionEffect[] {
	const silentMs = now - state.heardAt;
	if (silentMs >= SILENCE_MS_MAX) return end(state, { why: 'It said nothing any more', chance }, now);
	const restMs = SILENCE_MS_MAX - silentMs;
	// An answer to the pings may wait unread during a pause, so the last part of a silence has to be listened to.
	state.looksAt =
		restMs < PING_EVERY_MS
			? dueAfter(state.listening, restMs, now)
			: { at: now + PING_EVERY_MS - (silentMs % PING_EVERY_MS) };
	return silentMs >= PING_EVERY_MS ? [{ do: 'send', text: pingFrame() }] : [];
}

export function enter(state: ConnectionState, phase: StreamState, now: number): ConnectionEffect[] {
	if (state.phase === phase) return [];
	state.phase = phase;
	state.since = now;
	return [{ do: 'enter', state: phase }];
}

export function endSocket(state: ConnectionState): void {
	state.looksAt = state.socketAt = undefined;
	state.listening = newListeningTime();
	endSubscriptions(state);
}
