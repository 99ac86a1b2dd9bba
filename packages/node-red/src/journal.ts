/** The files of orders under way: one journal per account of the flows, whichever node writes to it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { IntentJournal } from '@partner-exchange/core';
import { fileJournal } from '@partner-exchange/core/node';
import type { NodeAPI } from 'node-red';
import { folderOf } from './positions';

/** A deploy makes a new account node, and two writers would corrupt one file. */
const journals = new Map<string, IntentJournal>();

export function journalOf(RED: NodeAPI, accountId: string): IntentJournal {
	const name = nameOf(accountId);
	const journal = journals.get(name) ?? fileJournal(join(folderOf(RED), name), { warn: (text) => RED.log.warn(text) });
	journals.set(name, journal);
	return journal;
}

/** Whether a journal is in use, or belongs to an account that is there but may be disabled. */
export const isJournalWanted = (name: string, ids: readonly string[]): boolean =>
	journals.has(name) || ids.some((id) => nameOf(id) === name);

const nameOf = (accountId: string): string =>
	`orders-${createHash('sha256').update(accountId).digest('hex').slice(0, 16)}.journal`;
