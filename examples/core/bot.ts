/** Buys once for each invoice and books its fills, though it may be killed at any line and started again. */
import { fileCheckpoint, fileJournal, openAccount } from '@partner-exchange/core/node';
import { account } from './account';

async function main(invoice: string, folder: string): Promise<void> {
	const journal = fileJournal(`${folder}/orders.jsonl`, { warn: console.warn });
	const { client, stream, close } = openAccount(account, { journal, onResolved: (end) => console.log(end.outcome) });
	for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void close());
	// What an earlier run left open is looked up, and never sent again.
	for await (const { entry, outcome } of client.recover()) console.log(`${entry.key} was ${outcome}`);
	const fills = stream.subscribe({
		topics: ['user.fills'],
		...fileCheckpoint(`${folder}/fills.json`),
		// May come twice after a kill, with the same eventKey: whoever books it ignores a key it has.
		deliver: async (events) => events.forEach(({ eventKey, delivery }) => console.log(`${delivery} fill ${eventKey}`)),
		onFailed: ({ message }) => console.error(message),
	});
	await fills.ready;
	const { status, wait } = await client.order.create(
		{ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '12.00' },
		{ options: { business_key: invoice, wait: 'final' } },
	);
	console.log(`${invoice}: ${status}${wait?.reached ? '' : ', and not at its end yet'}`);
}

void main(process.argv[2] ?? 'invoice-4711', process.argv[3] ?? '.');
