import { parseExactly } from '../../wire/json';
import { isItem, shortText, TEXT_LENGTH_MAX, type Item } from '../../wire/payload';
import { reasonIn } from '../../wire/reasons';
import { saysFailure } from '../../wire/response';
import { MESSAGE_LENGTH_MAX } from '../limits';
import { positionOf, positionsIn, type Position } from '../position';

/** A parsed message of the service. A message that cannot be understood is `ignored`. */
export type ServiceMessage =
	| DataMessage
	| { type: 'subscribed'; topics: string[]; positions: Record<string, Position>; snapshots: Record<string, unknown> }
	| { type: 'unsubscribed'; topics: string[] }
	| { type: 'pong' | 'ignored' }
	| ErrorMessage
	/** `failure` is what an acknowledgement says that tells a failure beside it. */
	| { type: 'command_ack'; requestId: string; action: string; data: Item; failure?: string }
	| { type: 'command_error'; requestId: string; code: string; text: string };

export interface DataMessage {
	type: 'data';
	topic: string;
	/** Undefined if the message carries no usable position; the event is valid all the same. */
	position: Position | undefined;
	ts: string | null;
	data: unknown;
	/** Characters of the message. */
	length: number;
}

export interface ErrorMessage {
	type: 'error';
	kind: ErrorKind;
	text: string;
	code: string;
	topics: string[];
}

/** What an `error` message is about. Its fields are not shown, so every likely one is tried. (Interface, part 6.) */
type ErrorKind = 'limited' | 'key' | 'forbidden' | 'other';

/**
 * The messages in frames. Some services write several that wait at the same time into one frame, a line each. In JSON a
 * comma stands between two records, and a string holds no line break, so what is split here is never one message.
 */
export const messagesIn = (frames: readonly string[]): readonly string[] =>
	frames.some((text) => text.includes('\n')) ? frames.flatMap((text) => text.split(/(?<=\})\r?\n(?=\{)/)) : frames;

/** Reads one message. Never throws: what is no JSON, too long or of unknown shape is `ignored`. */
export function readMessage(text: string): ServiceMessage {
	const parsed = parse(text);
	if (!isItem(parsed)) return { type: 'ignored' };
	switch (parsed.type) {
		case 'data':
			return readData(parsed, text.length);
		case 'subscribed':
			return {
				type: 'subscribed',
				topics: topicsIn(parsed),
				positions: positionsIn(parsed),
				snapshots: snapshotsIn(parsed),
			};
		case 'unsubscribed':
			return { type: 'unsubscribed', topics: topicsIn(parsed) };
		case 'pong':
			return { type: 'pong' };
		case 'error':
			return readError(parsed);
		case 'rate_limited':
			return { ...readError(parsed), kind: 'limited' };
		case 'command_ack': {
			const action = wordOf(parsed.action);
			const isFailed = [parsed, parsed.data].some((part) =>
				saysFailure(part, action.split('_').at(-1), 'acknowledgement'),
			);
			return {
				type: 'command_ack',
				requestId: wordOf(parsed.request_id),
				action,
				data: isItem(parsed.data) ? parsed.data : {},
				failure: isFailed ? (reasonIn(parsed) ?? '') : undefined,
			};
		}
		case 'command_error': {
			const { code, text } = readError(parsed);
			return { type: 'command_error', requestId: wordOf(parsed.request_id), code, text };
		}
		default:
			return { type: 'ignored' };
	}
}

function parse(text: string): unknown {
	if (text.length > MESSAGE_LENGTH_MAX) return undefined;
	try {
		return parseExactly(text);
	} catch {
		return undefined;
	}
}

function readData(message: Item, length: number): ServiceMessage {
	const topic = wordOf(message.topic);
	if (typeof message.topic !== 'string' || topic === '' || !('data' in message)) return { type: 'ignored' };
	return {
		type: 'data',
		topic,
		position: positionOf(message),
		ts: shortText(message.ts) ?? null,
		data: message.data,
		length,
	};
}

function readError(message: Item): ErrorMessage {
	const inner = isItem(message.error) ? message.error : message;
	const code = wordOf(inner.code ?? message.code);
	return {
		type: 'error',
		kind: kindOf(
			[code, wordOf(message.error), wordOf(inner.reason), wordOf(inner.type), wordOf(inner.status)],
			message,
		),
		code,
		text: wordOf(inner.message) || wordOf(message.error) || wordOf(inner.reason) || wordOf(inner.code),
		topics: topicsIn(message),
	};
}

const kinds: Readonly<Record<string, ErrorKind>> = {
	rate_limited: 'limited',
	rate_limit: 'limited',
	rate_limit_exceeded: 'limited',
	too_many_requests: 'limited',
	429: 'limited',
	unauthorized: 'key',
	unauthorised: 'key',
	unauthenticated: 'key',
	authentication_failed: 'key',
	invalid_key: 'key',
	invalid_api_key: 'key',
	invalid_token: 'key',
	401: 'key',
	forbidden: 'forbidden',
	not_permitted: 'forbidden',
	not_allowed: 'forbidden',
	permission_denied: 'forbidden',
	403: 'forbidden',
};

/** Only a code ends a subscription. Sentences are for people and may use the same words. */
function kindOf(candidates: readonly string[], message: Item): ErrorKind {
	const codes = candidates.map((word) => word.trim().toLowerCase().replaceAll(/[-.]/g, '_'));
	for (const code of codes) if (Object.hasOwn(kinds, code)) return kinds[code]!;
	// A misread sentence does no harm here: it only leads to a pause.
	const said = textsIn(message).join(' ').slice(0, TEXT_LENGTH_MAX).toLowerCase();
	return /rate.?limit|too many/.test(said) ? 'limited' : 'other';
}

function topicsIn(message: Item): string[] {
	const { topics, topic } = message;
	if (Array.isArray(topics))
		return topics.map((entry) => wordOf(isItem(entry) ? entry.topic : entry)).filter((name) => name !== '');
	if (isItem(topics)) return Object.keys(topics);
	return typeof topic === 'string' && wordOf(topic) !== '' ? [topic] : [];
}

function snapshotsIn(message: Item): Record<string, unknown> {
	const { snapshots, snapshot } = message;
	if (isItem(snapshots)) return snapshots;
	if (Array.isArray(snapshots)) {
		return Object.fromEntries(
			snapshots.filter(isItem).map((entry) => [wordOf(entry.topic), entry.data ?? entry.snapshot]),
		);
	}
	return isItem(snapshot) ? snapshot : {};
}

/** The recursion is bounded, because the JSON reader limits the depth. */
const textsIn = (message: Item): string[] =>
	Object.values(message).flatMap((value) =>
		typeof value === 'string' ? [value.slice(0, TEXT_LENGTH_MAX)] : isItem(value) ? textsIn(value) : [],
	);

const wordOf = (value: unknown): string => shortText(value) ?? '';

export const subscribeMessage = (topics: readonly string[], snapshot: boolean, resume: Item): string =>
	JSON.stringify({ type: 'subscribe', topics, snapshot, ...resume });
export const unsubscribeMessage = (topics: readonly string[]): string =>
	JSON.stringify({ type: 'unsubscribe', topics });
export const pingMessage = (): string => JSON.stringify({ type: 'ping' });
