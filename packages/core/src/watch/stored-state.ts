/** What was stored of a watch between two polls. Only an absent one is a first poll. Pure. */
import { ExchangeError } from '../errors';
import { assertGiven, assertKind, callback, flag, having, signal } from '../given';
import { isItem, type Item } from '../wire/payload';

/** Counted up when a state means something else than before; nothing of another version is read. */
export const STATE_VERSION = 1;

/** Settings of one poll. */
export interface PollOptions {
	/** Ends the poll early: it throws, and changes nothing. */
	signal?: AbortSignal;
	/** Receives the limits that were reached, and that a state is of another version, as sentences without a final period. */
	warn?(text: string): void;
	/** Errors name fields as forms label them, and not also as a script writes them. */
	isForm?: true;
}

/** The settings of a poll, checked. Without `warn` its warnings are dropped. */
export function acceptPoll(client: object, options: PollOptions): Required<Pick<PollOptions, 'warn'>> & PollOptions {
	assertKind(client, having('call'), { of: 'The client of a poll', field: 'client', advice: 'Pass the client' });
	assertGiven(options, { signal, warn: callback, isForm: flag }, { of: 'What a poll takes last' });
	return { warn: () => undefined, ...options };
}

const OF_OTHER_VERSION =
	'What the poll before stored is of another version or damaged, and is not read: the poll begins again, and what happened meanwhile is not reported';

/** Whether a stored value may be a time in milliseconds; one before 1970 is of a service that writes dates like the year 1. */
export const isTime = (value: unknown): value is number => Number.isFinite(value);

/** Whether a stored value may be a number of something. */
export const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/**
 * Undefined for a first poll, and, in words, where another version stored the state.
 *
 * @throws `invalid_input` for what is no state.
 */
export function openState<State>(
	stored: unknown,
	isState: (stored: Item) => boolean,
	warn: (text: string) => void,
): State | undefined {
	if (stored === undefined) return undefined;
	if (!isItem(stored) || !Number.isSafeInteger(stored.version)) throw damaged();
	if (stored.version !== STATE_VERSION) {
		warn(OF_OTHER_VERSION);
		return undefined;
	}
	if (!isState(stored)) throw damaged();
	return stored as State;
}

const damaged = (): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: 'Wallet',
		field: 'state',
		what: 'The stored state is damaged: it is not what a poll handed out',
		advice:
			'Pass the one stored before it, or none to begin from now, as does a copy of the node in its place; what happened meanwhile is not reported',
	});
