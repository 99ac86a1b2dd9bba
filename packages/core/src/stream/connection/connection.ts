import type { Account } from '../../account';
import { inBackground } from '../../background';
import { backoff, doubled } from '../../backoff';
import { isWildcard, mayMean } from '../../catalogue';
import { ExchangeError, isExchangeError } from '../../errors';
import { keyHider } from '../../wire/echo';
import { createAlarm } from '../alarm';
import type { StreamState } from '../contract';
import { failureOf } from '../failure';
import {
	EARLY_MS,
	HANDSHAKE_MS_MAX,
	IDLE_MS_MAX,
	LIMITED_MS,
	PING_EVERY_MS,
	RECONNECT_MS,
	REFUSAL_AGAIN_MS,
	REFUSALS_CONFIRM,
	REFUSED_AGAIN_MS,
	SILENCE_MS_MAX,
	STABLE_AFTER_MS,
} from '../limits';
import {
	messagesIn,
	pingMessage,
	readMessage,
	unsubscribeMessage,
	type DataMessage,
	type ErrorMessage,
	type ServiceMessage,
} from './messages';
import {
	dueAt,
	isOpen,
	newConnection,
	topicsThat,
	type ConnectionPorts,
	type ConnectionState,
	type SocketLink,
} from './link';
import { onConfirmed, onRefused, onRemoved, onSilence, requestNext, requestTopics } from './requests';

/** One connection, opened again until `close`, and the topics it carries. */
export interface StreamConnection {
	readonly state: Readonly<ConnectionState>;
	/** Whether the text was sent. */
	send(text: string): boolean;
	attach(topic: string): void;
	/** Subscribes a topic again, from the oldest position of its subscribers. */
	subscribe(topic: string): void;
	detach(topic: string): void;
	close(): void;
}

/**
 * connecting -> catching_up (the socket is open) -> live (all topics are confirmed) -> waiting (it ended) ->
 * connecting, or refused in place of waiting once the key was refused repeatedly. A callback may close the connection
 * or take its topics. So the state changes before each call, and is looked at again after it.
 */
export function createConnection(
	access: ConnectionState['access'],
	ports: ConnectionPorts,
	unused: () => void,
): StreamConnection {
	const { clock, account } = ports;
	const state = newConnection(access, clock.now());
	const link: SocketLink = {
		state,
		ports,
		clock,
		account,
		closed: new AbortController(),
		withoutKey: keyHider(account.apiKey),
		setAlarm: createAlarm(clock, () => happens(link, () => lookWhatIsDue(link))),
		feed: (topic) => (state.topics.has(topic) ? ports.feed(topic) : undefined),
		send: (text) => link.socket?.send(text),
		unused,
	};
	happens(link, () => connect(link));
	return {
		state,
		send: (text) => {
			if (isOpen(state)) link.send(text);
			return isOpen(state);
		},
		attach: (topic) => happens(link, () => attach(link, topic)),
		subscribe: (topic) => happens(link, () => requestTopics(link, [topic], true)),
		detach: (topic) => happens(link, () => detach(link, topic)),
		close: () => happens(link, () => close(link)),
	};
}

/** Runs what follows from an event, and then finds out whether the connection is live, and when the next thing is due. */
function happens(link: SocketLink, what: () => void): void {
	const { state } = link;
	if (state.phase === 'closed') return;
	try {
		what();
		const isWaiting = topicsThat(state, 'requested').length > 0;
		if (state.phase === 'catching_up' && state.hasConfirmed && !isWaiting) enter(link, 'live');
	} finally {
		link.setAlarm(dueAt(state));
	}
}

function enter(link: SocketLink, phase: StreamState): void {
	const { state } = link;
	if (state.phase === phase) return;
	state.phase = phase;
	state.since = link.clock.now();
	for (const subscriber of link.ports.subscribersOf(state.topics.keys())) subscriber.changed(phase);
}

function lookWhatIsDue(link: SocketLink): void {
	const { state } = link;
	const isDue = (at = Infinity): boolean => at - link.clock.now() < EARLY_MS;
	if (isDue(state.idleAt)) {
		state.idleAt = undefined;
		return link.unused();
	}
	if (isDue(state.socketAt)) return state.phase === 'connecting' ? end(link, 'It did not open in time') : connect(link);
	if (isDue(state.looksAt)) lookAtSilence(link);
	if (!isOpen(state)) return;
	const silent = topicsThat(state, 'requested').filter((topic) => isDue(state.topics.get(topic)!.due));
	// If nothing else was confirmed either, the fault is with the connection and not with these topics.
	if (silent.length > 0 && !state.hasConfirmed) return end(link, 'It confirmed no topic');
	onSilence(link, silent);
}

function connect(link: SocketLink): void {
	const { state } = link;
	state.socketNumber += 1;
	state.attempts += 1;
	state.socketAt = link.clock.now() + HANDSHAKE_MS_MAX;
	enter(link, 'connecting');
	if (state.phase === 'connecting') open(link, state.socketNumber);
}

function open(link: SocketLink, number: number): void {
	const { state } = link;
	const isCurrent = (): boolean => state.socketNumber === number && state.phase !== 'closed';
	const closed = (facts: Ending): void => void (isCurrent() && happens(link, () => socketClosed(link, facts)));
	try {
		const opened = link.ports.openSocket(addressOf(link.account, state.access), {
			opened: () => isCurrent() && happens(link, () => socketOpened(link)),
			messages: (texts) => receive(link, texts, isCurrent),
			closed,
		});
		if (isCurrent()) link.socket = opened;
	} catch {
		// The port of the caller should never throw. If it does, that counts as a connection that did not open.
		const refusal = 'What opens its connections, the port openSocket, failed by itself';
		inBackground(Promise.resolve().then(() => closed({ refusal })));
	}
}

function socketOpened(link: SocketLink): void {
	const { state } = link;
	const now = link.clock.now();
	Object.assign(state, { hasEverOpened: true, openedAt: now, heardAt: now, socketAt: undefined });
	enter(link, 'catching_up');
	lookAtSilence(link);
	requestTopics(link, [...state.topics.keys()], !state.asksNothing);
}

function receive(link: SocketLink, texts: readonly string[], isCurrent: () => boolean): void {
	const { state } = link;
	if (!isCurrent()) return;
	const at = link.clock.now();
	state.heardAt = at;
	state.hasServed ||= state.hasConfirmed;
	for (const text of messagesIn(link.withoutKey(texts))) {
		// A message may end the connection, and the messages behind it are then dropped.
		if (!isCurrent()) return;
		// Only a defect of ours throws here. It must not end the process; the next read brings what the message held.
		try {
			handOn(link, readMessage(text), at);
		} catch {
			answered(link, { type: 'ignored' });
		}
	}
}

function handOn(link: SocketLink, message: ServiceMessage, at: number): void {
	if (message.type !== 'data') return answered(link, message);
	link.feed(message.topic)?.happened(message, at);
	for (const wildcard of link.state.wildcards)
		if (mayMean(wildcard, message.topic)) link.feed(wildcard)?.happened(message, at);
}

function answered(link: SocketLink, message: Exclude<ServiceMessage, DataMessage>): void {
	switch (message.type) {
		case 'subscribed':
			return happens(link, () => onConfirmed(link, message));
		case 'unsubscribed':
			return happens(link, () => onRemoved(link, message.topics));
		case 'error':
			return happens(link, () => onError(link, message));
		case 'ignored':
			for (const { seen } of link.ports.subscribersOf(link.state.topics.keys())) seen.ignored += 1;
			return;
		default:
			return link.ports.commands.answered(message);
	}
}

/** After `rate_limited` the connection comes back later each time. (Interface, part 8.) */
function onError(link: SocketLink, message: ErrorMessage): void {
	if (message.kind === 'limited') end(link, 'The service asked for patience', { isLimited: true });
	else onRefused(link, message);
}

/** Any message is a sign of life; a missing pong alone proves nothing. */
function lookAtSilence(link: SocketLink): void {
	const { state } = link;
	const silentMs = link.clock.now() - state.heardAt;
	if (silentMs >= SILENCE_MS_MAX) return end(link, 'It said nothing any more');
	state.looksAt = Math.min(
		state.heardAt + SILENCE_MS_MAX,
		link.clock.now() + PING_EVERY_MS - (silentMs % PING_EVERY_MS),
	);
	if (silentMs >= PING_EVERY_MS) link.send(pingMessage());
}

/** The service closed the socket, or did not open it. */
function socketClosed(link: SocketLink, { code, ...ending }: Ending): void {
	const { state } = link;
	const number = ending.status === undefined ? code && `code ${code}` : `status ${ending.status}`;
	const how = isOpen(state) ? 'The service closed it' : 'It did not open';
	ended(link, `${how}${number ? ` (${number})` : ''}`, ending);
}

/** Ends this socket, to connect again after a pause. */
function end(link: SocketLink, why: string, ending: Ending = {}): void {
	link.socket?.terminate();
	ended(link, why, ending);
}

function ended(link: SocketLink, why: string, { status, retryAfterMs = 0, refusal, isLimited }: Ending): void {
	const { state } = link;
	const wasOpen = isOpen(state);
	// A service may open the connection first, and refuse the key then.
	const isUnused = wasOpen && !state.hasConfirmed && state.topics.size > 0;
	if (wasOpen) state.asksNothing = state.hasAsked && !state.hasServed;
	const heldMs = link.clock.now() - (state.openedAt ?? Infinity);
	if (heldMs >= STABLE_AFTER_MS) Object.assign(state, { attempts: 1, limited: 0 });
	if (isLimited) state.limited += 1;
	forgetSocket(link);
	state.failure = failureOf(refusal ?? why, link.clock.now());
	// A refused key is soon tried again, to confirm that, and after growing pauses then.
	const askedMs = status === 401 || status === 403 ? 0 : Math.min(retryAfterMs, REFUSED_AGAIN_MS.cap);
	state.socketAt = link.clock.now() + Math.max(pauseMs(link), refusedPauseMs(state.keyRefusals), askedMs);
	const { socketNumber: number } = state;
	enter(link, state.keyRefusals < REFUSALS_CONFIRM ? 'waiting' : 'refused');
	for (const topic of [...state.topics.keys()]) link.feed(topic)?.happened({ type: 'lost', heardAt: state.heardAt });
	if (state.access === 'private') link.ports.commands.lost();
	if (state.socketNumber !== number || (wasOpen && !isUnused)) return;
	if (state.access === 'private' && (status === 401 || status === 403)) keyRefused(link, status);
	else if (state.access === 'private' && status === undefined && refusal === undefined) inBackground(diagnose(link));
	else unexplained(link, { refusal, status });
}

/** The pause before the next socket. It has full jitter, and is longer after `rate_limited`. */
function pauseMs(link: SocketLink): number {
	const { state } = link;
	if (state.limited === 0) return backoff(RECONNECT_MS, state.attempts, link.ports.random);
	return doubled(LIMITED_MS, state.limited - 1) * (1 + link.ports.random());
}

/** Where the reason is hidden, REST knows whether the key is refused. Asked once, to know before the next socket. */
async function diagnose(link: SocketLink): Promise<void> {
	const { state } = link;
	const options = { signal: link.closed.signal, retries: 0 };
	const error = await link.ports.client.call('wallet.balances', {}, options).then(
		() => undefined,
		(reason: unknown) => reason,
	);
	happens(link, () => {
		// Another socket may have opened by now.
		if (isOpen(state)) return;
		// A valid key may lack the permission to read the wallet.
		if (isExchangeError(error, 'unauthorized')) keyRefused(link, 401);
		else unexplained(link, {}, isExchangeError(error, 'unreachable') ? error : undefined);
	});
}

/** A single refusal may be temporary. The refusal that confirms it is reported, and no later one. */
function keyRefused(link: SocketLink, status: 401 | 403): void {
	const { state } = link;
	const error = new ExchangeError(status === 403 ? 'forbidden' : 'unauthorized', {
		operation: 'Stream',
		status,
		what: `${status === 403 ? 'The key may not open the stream' : 'The service does not know this key'} (status ${status})`,
	});
	state.keyRefusals += 1;
	state.failure = failureOf(error, link.clock.now());
	// A socket that is being opened meanwhile keeps its time.
	if (state.phase === 'connecting') return;
	// The pause never becomes shorter here, because the service may have asked for it.
	state.socketAt = Math.max(state.socketAt ?? 0, link.clock.now() + refusedPauseMs(state.keyRefusals));
	if (state.keyRefusals < REFUSALS_CONFIRM) return;
	enter(link, 'refused');
	if (state.keyRefusals === REFUSALS_CONFIRM) reportFailure(link, error);
}

/** The connection did not open for another reason than its key. */
function unexplained(link: SocketLink, ending: Ending, error = unreachable(ending)): void {
	const { state } = link;
	if (ending.refusal === undefined) state.keyRefusals = 0;
	if (!state.hasEverOpened) reportFailure(link, error);
}

function reportFailure(link: SocketLink, error: ExchangeError): void {
	const { state } = link;
	link.ports.failed([...state.topics.keys()], error);
	// Subscribers that failed have left by now. The connection is still needed if others remain.
	if (state.topics.size === 0) link.unused();
}

function forgetSocket(link: SocketLink): void {
	const { state } = link;
	link.socket = undefined;
	state.socketNumber += 1;
	state.openedAt = state.looksAt = state.socketAt = undefined;
	state.hasConfirmed = state.hasServed = state.hasAsked = false;
	for (const subscription of state.topics.values()) Object.assign(subscription, { is: 'unsubscribed', due: undefined });
}

function keepWildcards(link: SocketLink): void {
	const { state } = link;
	state.wildcards = [...state.topics.keys()].filter(isWildcard);
}

function attach(link: SocketLink, topic: string): void {
	const { state } = link;
	state.idleAt = undefined;
	state.topics.set(topic, { is: 'unsubscribed', wasConfirmed: false, refusals: 0 });
	keepWildcards(link);
	requestTopics(link, [topic], true);
}

function detach(link: SocketLink, topic: string): void {
	const { state } = link;
	if (!state.topics.delete(topic)) return;
	keepWildcards(link);
	if (state.topics.size === 0) state.idleAt ??= link.clock.now() + IDLE_MS_MAX;
	if (!isOpen(state)) return;
	link.send(unsubscribeMessage([topic]));
	requestNext(link);
}

function close(link: SocketLink): void {
	const { state } = link;
	link.closed.abort();
	link.socket?.terminate();
	forgetSocket(link);
	state.idleAt = undefined;
	enter(link, 'closed');
}

/** How a socket ended. `refusal`: why the host itself does not connect. `isLimited`: the service said `rate_limited`. */
interface Ending {
	code?: number;
	status?: number;
	retryAfterMs?: number;
	refusal?: string;
	isLimited?: boolean;
}

/** The pause after this many refusals of the key in a row: short until the refusal is confirmed, then growing. */
function refusedPauseMs(refusals: number): number {
	if (refusals < REFUSALS_CONFIRM) return REFUSAL_AGAIN_MS * refusals;
	return doubled(REFUSED_AGAIN_MS, refusals - REFUSALS_CONFIRM);
}

/** The address of the stream. Public topics are read without the key. (Interface, part 5.) */
function addressOf({ wsUrl, apiKey }: Account, access: ConnectionState['access']): string {
	const url = new URL(wsUrl);
	if (access === 'private') url.searchParams.set('token', apiKey);
	return url.href;
}

function unreachable({ refusal, status }: Ending): ExchangeError {
	const isBusy = [408, 425, 429].includes(status ?? 0) || (status ?? 0) >= 500;
	const checked = 'Check the Stream Address';
	return new ExchangeError('unreachable', {
		operation: 'Stream',
		field: 'wsUrl',
		status,
		what:
			refusal ??
			`The Stream Address ${status === undefined ? 'does not answer' : `answers with status ${status}, and opens no stream`}`,
		advice: refusal
			? `${checked}, or ask whoever runs this installation to allow it`
			: isBusy
				? 'Try again later, and ask whoever runs the service if it stays so'
				: `${checked} and that the service is running`,
	});
}
