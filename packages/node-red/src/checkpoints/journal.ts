/** Journal files of order writes: one per account node, shared by all nodes that use the account. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { IntentJournal } from '@partner-exchange/core';
import { printable } from '@partner-exchange/core/adapters';
import { fileJournal } from '@partner-exchange/core/node';
import type { NodeAPI } from 'node-red';
import { folderOf } from './checkpoints';

/** A deploy creates a new account node. The journal is shared by id, because two writers would corrupt the file. */
const journals = new Map<string, IntentJournal>();

export function journalOf(RED: NodeAPI, accountId: string): IntentJournal {
	const name = nameOf(accountId);
	const journal =
		journals.get(name) ?? fileJournal(join(folderOf(RED), name), { warn: (text) => RED.log.warn(printable(text)) });
	journals.set(name, journal);
	return journal;
}

/** Whether a journal is in use, or its account is in the flows but may be disabled. */
export const isJournalWanted = (name: string, ids: readonly string[]): boolean =>
	journals.has(name) || ids.some((id) => nameOf(id) === name);

const nameOf = (accountId: string): string =>
	`orders-${createHash('sha256').update(accountId).digest('hex').slice(0, 16)}.journal`;
