import type { OperationId } from '../catalogue';
import type { Accepted } from '../wire/request';
import { ExchangeError, isExchangeError } from '../errors';

/** What is kept of an intent before its first byte leaves. No key, no address. */
export interface IntentEntry {
	key: string;
	operation: OperationId;
	/** What goes on the wire, identity included. */
	fields: Accepted;
	/** Milliseconds since 1970, UTC. */
	at: number;
}

/** Where a host with a disk keeps its open intents, so that a crash is followed by a reading and never by a second send. */
export interface IntentJournal {
	/** Resolves when the entry outlives a crash. Nothing is sent before that. */
	record(entry: IntentEntry): Promise<void>;
	/** The intent has its outcome. Unknown ones stay open. */
	settle(key: string, outcome: 'accepted' | 'refused'): Promise<void>;
	/** What an earlier process left open, oldest first. */
	open(): Promise<IntentEntry[]>;
}

/** What an earlier process left open. Without that knowledge nothing is sent. */
export async function openIn(journal: IntentJournal | undefined): Promise<IntentEntry[]> {
	try {
		return (await journal?.open()) ?? [];
	} catch (error) {
		throw new ExchangeError('not_available', {
			what: `The journal of open orders cannot be read${reasonOf(error)}`,
			advice: 'Check the disk and that the file may be read; this run sent nothing, and the next one reads it again',
		});
	}
}

/** Only words of our own leave a journal's error: a disk's name the paths of the machine. */
const reasonOf = (error: unknown): string => (isExchangeError(error) ? `: ${error.summary}` : '');

/** Records an intent, or refuses it: what could not be remembered is not sent. */
export async function recordIn(journal: IntentJournal | undefined, entry: IntentEntry, label: string): Promise<void> {
	try {
		await journal?.record(entry);
	} catch (error) {
		throw new ExchangeError('not_available', {
			operation: label,
			what: `The journal of open orders cannot be written${reasonOf(error)}`,
			advice: 'Check that the disk has room and that the folder may be written to; this run sent nothing',
		});
	}
}

/** An outcome that cannot be written leaves the entry open: it is read once more after the next start, which is harmless. */
export const settleIn = async (
	journal: IntentJournal | undefined,
	key: string,
	outcome: 'accepted' | 'refused',
): Promise<void> => journal?.settle(key, outcome).catch(() => undefined);
