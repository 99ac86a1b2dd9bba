/** Where orders under way stand on the disk: one journal per account of the flows, whichever node writes to it. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { IntentJournal } from '@partner-exchange/core';
import { fileJournal } from '@partner-exchange/core/node';
import type { NodeAPI } from 'node-red';

/** A deploy makes a new account node; two writers of one file would tear it. */
const journals = new Map<string, IntentJournal>();

export function journalOf(RED: NodeAPI, accountId: string): IntentJournal {
	const name = createHash('sha256').update(accountId).digest('hex').slice(0, 16);
	const file = join(RED.settings.userDir ?? '.', 'partner-exchange', `orders-${name}.journal`);
	const journal = journals.get(file) ?? fileJournal(file);
	journals.set(file, journal);
	return journal;
}
