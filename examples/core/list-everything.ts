/** Walks every list of the account page by page and counts what is there. Memory stays small however long a list is. */
import { operationIds, operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

const inputs: Partial<Record<OperationId, Record<string, unknown>>> = {
	'market.candles': { pair_id: 'USD/NGN', interval: '1h' },
	'market.trades': { pair_id: 'USD/NGN' },
};

async function main(): Promise<void> {
	const { client, close } = openAccount(account);
	for (const id of operationIds.filter((each) => operationOf(each).list)) {
		let count = 0;
		for await (const _ of client.items(id, inputs[id] ?? {}, { limit: 1_000 })) count += 1;
		console.log(`${operationOf(id).label}: ${count}`);
	}
	await close();
}

void main();
