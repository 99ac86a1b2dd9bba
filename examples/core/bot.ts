/** Buys once for each invoice and books its fills, though it may be killed at any line and started again. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { StoredCheckpoint } from '@partner-exchange/core';
import { fileJournal, openAccount } from '@partner-exchange/core/node';
import { account } from './account';

async function main(invoice: string, folder: string): Promise<void> {
	const file = `${folder}/fills.json`;
	const journal = fileJournal(`${folder}/orders.jsonl`, { warn: console.warn });
	const { client, stream, close } = openAccount(account, { journal, onResolved: (end) => console.log(end.outcome) });
	// What an earlier run left open is looked up, and never sent again.
	for await (const { entry, outcome } of client.recover()) console.log(`${entry.key} was ${outcome}`);
	const fills = stream.subscribe({
		topics: ['user.fills'],
		checkpoint: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as StoredCheckpoint) : undefined,
		// May come twice after a kill, with the same eventKey: whoever books it ignores a key it has.
		deliver: async (events) => events.forEach(({ eventKey, delivery }) => console.log(`${delivery} fill ${eventKey}`)),
		onCheckpoint: (checkpoint) => {
			writeFileSync(`${file}.new`, JSON.stringify(checkpoint));
			renameSync(`${file}.new`, file);
		},
	});
	await fills.ready;
	const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '12.00' } as const;
	const { status, wait } = await client.order.create(order, { options: { business_key: invoice, wait: 'final' } });
	console.log(`${invoice}: ${status}${wait?.reached ? '' : ', and not at its end yet'}`);
	for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void close());
}

void main(process.argv[2] ?? 'invoice-4711', process.argv[3] ?? '.');
