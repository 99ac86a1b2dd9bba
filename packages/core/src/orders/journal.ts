import type { Account } from '../account';
import { isOrderWrite, operationIds, operationOf, type OperationId } from '../catalogue';
import type { Accepted } from '../wire/request';
import { causedBy, ExchangeError, isExchangeError, type ErrorFacts } from '../errors';
import { isItem } from '../wire/payload';
import { digestOf } from '../wire/intent-key';
import type { Clock } from '../ports';
import { termsDigest } from './identity';
import { newIntent } from './machine/state';
import type { AccountMemory } from './memory';

/** Whose intent an entry is: an address, and a digest of the key it was sent with. Neither is a secret. */
export interface EntryOwner {
	address: string;
	key: string;
}

export const ownerOf = ({ baseUrl, apiKey }: Account): EntryOwner => ({
	address: baseUrl,
	key: digestOf(['owner', apiKey]).slice(0, 16),
});

/** An intent, described by its key and the fields sent on the wire. */
export interface OpenIntent {
	/** Idempotency key of the intent. */
	key: string;
	/** `order.create`, `order.cancel` or `order.replace`. */
	operation: OperationId;
	/** The fields sent on the wire, identity included. */
	fields: Accepted;
}

/** The journal entry of an intent, written before its first byte is sent. Holds no API key. */
export interface IntentEntry extends OpenIntent {
	/** Milliseconds since 1970, UTC. */
	at: number;
	/** Whose intent it is. */
	account: EntryOwner;
}

export const isOwnedBy = (owner: EntryOwner, { address, key }: EntryOwner): boolean =>
	owner.address === address && owner.key === key;

/** Whether what was read from a disk is an entry: a lookup relies on every part of it. */
export const isIntentEntry = (value: unknown): value is IntentEntry =>
	isItem(value) &&
	typeof value.key === 'string' &&
	Number.isFinite(value.at) &&
	operationIds.some((id) => id === value.operation && isOrderWrite(operationOf(id))) &&
	isItem(value.fields) &&
	Object.values(value.fields).every((field) => ['string', 'number', 'boolean'].includes(typeof field)) &&
	isEntryOwner(value.account);

export const isEntryOwner = (value: unknown): value is EntryOwner =>
	isItem(value) && typeof value.address === 'string' && typeof value.key === 'string';

/**
 * Where a host with a disk stores its open intents, so that a restart after a crash looks them up and never sends them
 * again.
 */
export interface IntentJournal {
	/** Resolves when the entry would survive a crash. Nothing is sent before that. */
	record(entry: IntentEntry): Promise<void>;
	/**
	 * Closes an intent whose outcome is known. Intents of unknown outcome stay open, and so does one that another account
	 * has under the same key.
	 */
	close(key: string, outcome: 'accepted' | 'refused', account: EntryOwner): Promise<void>;
	/** Intents an earlier process left open, oldest first. */
	open(): Promise<IntentEntry[]>;
	/**
	 * Intents recorded in the last minutes that were not refused, open or not: the order list may not show them yet. A
	 * journal without it tells the open ones.
	 */
	recent?(): Promise<IntentEntry[]>;
}

export type Restored = ReturnType<typeof restoreOnce>;

/** Restores, on first use, the intents an earlier process left open. */
export function restoreOnce(
	journal: IntentJournal | undefined,
	memory: AccountMemory,
	{ owner, clock }: { owner: EntryOwner; clock: Pick<Clock, 'elapsed'> },
) {
	const isOther = ({ account: other }: IntentEntry): boolean => !isOwnedBy(other, owner);
	// After a failed read the next caller reads the journal again.
	let entries: Promise<IntentEntry[]> | undefined;
	const restore = async (): Promise<IntentEntry[]> => {
		for (const entry of await recentIn(journal)) if (!isOther(entry)) restored.placed.add(entry.key);
		const open = await openIn(journal);
		const now = clock.elapsed();
		for (const entry of open) {
			const { key, operation, fields } = entry;
			if (isOther(entry)) {
				restored.others.set(key, entry);
				continue;
			}
			const intent = { key, digest: termsDigest(operation, fields), isCancel: operation === 'order.cancel' };
			restored.placed.delete(key);
			memory.restore(intent, newIntent(now, { lastAttemptAt: now }));
		}
		restored.isDone = true;
		return open;
	};
	const restored = {
		/**
		 * Intents sent under another address or key, by intent key. Finding such an order here proves that it exists; not
		 * finding it proves nothing.
		 */
		others: new Map<string, IntentEntry>(),
		/** The intents that an earlier process had done a short time ago, by key. */
		placed: new Set<string>(),
		/** Whether the open intents are restored, so that an order need not wait for them. */
		isDone: journal === undefined,
		entries: (): Promise<IntentEntry[]> =>
			(entries ??= restore().catch((error: unknown) => {
				entries = undefined;
				throw error;
			})),
	};
	return restored;
}

/** Where an intent of another account has to be looked for. */
export const openElsewhere = ({ account }: IntentEntry): string =>
	`The journal holds it for another account (${account.address}, with another address or key), where it may exist: if the list of that account lacks it, another business key places it`;

/** Intents an earlier process left open. Throws when the journal cannot be read, so that nothing is sent. */
export const openIn = (journal: IntentJournal | undefined): Promise<IntentEntry[]> =>
	readFrom(journal, (it) => it.open());

/** Intents that the order list may not show yet. Throws when the journal cannot be read. */
export const recentIn = (journal: IntentJournal | undefined): Promise<IntentEntry[]> =>
	readFrom(journal, (it) => (it.recent ? it.recent() : it.open()));

async function readFrom(
	journal: IntentJournal | undefined,
	read: (journal: IntentJournal) => Promise<unknown>,
): Promise<IntentEntry[]> {
	try {
		const entries = journal ? await read(journal) : [];
		if (Array.isArray(entries) && entries.every(isIntentEntry)) return entries;
		throw new ExchangeError('not_available', {
			what: 'it answers with something else than a list of the entries it was given',
			advice: 'Correct open() and recent() of the journal',
		});
	} catch (error) {
		throw unusable('read', error);
	}
}

/** Only the code of a disk error is quoted, because its text names paths of the machine. */
function unusable(step: 'read' | 'written', error: unknown, operation?: string): ExchangeError {
	const ours = isExchangeError(error) ? error : undefined;
	const code = isItem(error) && /^E[A-Z]+$/.test(String(error.code)) ? ` (${String(error.code)})` : '';
	const advice = ours?.advice ?? 'Check that the disk has room, and that the folder of the journal may be written to';
	const facts: ErrorFacts = {
		operation,
		what: `The journal of open orders cannot be ${step}${ours ? `: ${ours.summary}` : code}`,
		advice: `${advice}; this run sent nothing, and the next one tries again`,
	};
	return ours ? new ExchangeError('not_available', facts) : causedBy(error, 'not_available', facts);
}

/** Records an intent, or refuses it: an intent that cannot be recorded is not sent. */
export async function recordIn(journal: IntentJournal | undefined, entry: IntentEntry, label: string): Promise<void> {
	try {
		await journal?.record(entry);
	} catch (error) {
		throw unusable('written', error, label);
	}
}

/**
 * When the outcome cannot be written, the entry stays open and is looked up again after the next start, which is
 * harmless.
 */
export const closeIn = async (
	journal: IntentJournal | undefined,
	{ key, account }: Pick<IntentEntry, 'key' | 'account'>,
	outcome: 'accepted' | 'refused',
): Promise<void> => {
	try {
		await journal?.close(key, outcome, account);
	} catch {
		// The entry stays open, and the next start looks the order up again.
	}
};
