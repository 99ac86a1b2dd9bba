/** Prints the trades of all pairs as they happen. A wildcard topic is live only: what is missed of it is not read back. */
import { openAccount } from '@partner-exchange/core/node';
import { account } from './account';

const TRADES = 3;

async function main(): Promise<void> {
	const { stream, close } = openAccount(account);
	let printed = 0;
	const market = stream.subscribe({
		topics: ['trades.*'],
		deliver: async (events) => {
			for (const { kind, topic, data } of events) {
				if (kind !== undefined) continue;
				console.log(`${topic}: ${data.quantity} at ${data.price}`);
				if ((printed += 1) === TRADES) void close();
			}
		},
		onNotice: ({ kind, text }) => void (kind === 'degraded' && console.log(text)),
	});
	await market.ready;
}

void main();
