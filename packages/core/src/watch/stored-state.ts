/** What was stored of a watch between two polls. Only an absent one is a first poll. Pure. */
import { ExchangeError } from '../errors';
import { isItem, type Item } from '../wire/payload';

/** Counted up when a state means something else than before; nothing of another version is read. */
export const STATE_VERSION = 1;

/** Settings of one poll. */
export interface PollOptions {
	/** Ends the poll early: it returns what it has read until then, and throws where that is nothing. */
	signal?: AbortSignal;
	/** Receives the limits that were reached, and that a state is of another version, as sentences without a final period. */
	warn?(text: string): void;
}

const OF_OTHER_VERSION =
	'What the poll before stored is of another version or damaged, and is not read: the poll begins anew, and what happened meanwhile is not reported';

/**
 * Undefined for a first poll, and, in words, where another version stored the state.
 *
 * @throws `invalid_input` for what is no state.
 */
export function openState<State>(
	stored: unknown,
	read: (stored: Item) => State | undefined,
	warn: (text: string) => void,
): State | undefined {
	if (stored === undefined) return undefined;
	if (!isItem(stored) || !Number.isSafeInteger(stored.version)) throw damaged();
	if (stored.version !== STATE_VERSION) {
		warn(OF_OTHER_VERSION);
		return undefined;
	}
	const state = read(stored);
	if (state === undefined) throw damaged();
	return state;
}

const damaged = (): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: 'Wallet',
		field: 'state',
		what: 'The stored state is damaged: it is not what a poll handed out',
		advice: 'Pass the one stored before it, or leave it out to begin from now; what happened meanwhile is not reported',
	});
