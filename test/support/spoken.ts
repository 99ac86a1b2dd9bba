/** A separate process that calls, listens and fails, for tests of its output. Its key comes from the environment. */
import { createClient, createStream } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';

async function main(): Promise<void> {
	const { BASE_URL: baseUrl = '', WS_URL: wsUrl = '', ENDS = '' } = process.env;
	const apiKey = process.env.KEY ?? '';
	// A variable left in the environment would appear in every diagnostic report of the process.
	delete process.env.KEY;
	const account = { environment: 'sandbox' as const, baseUrl, wsUrl, apiKey };
	const ports = nodePorts();
	const client = createClient(account, ports);
	const stream = createStream({ ...ports, account, client });
	await client.wallet.balances({});
	await client.order.get({ order_id: 'nobody' }).catch((error: unknown) => console.error(error));
	await stream.subscribe({ topics: ['user.fills'], deliver: async () => undefined }).ready;
	await stream.close();
	const wrong = { ...account, apiKey: `${apiKey}-wrong` };
	const refused = createStream({ ...ports, account: wrong, client: createClient(wrong, ports) });
	await refused
		.subscribe({ topics: ['user.fills'], deliver: async () => undefined })
		.ready.catch((error: unknown) => console.error(error));
	await refused.close();
	console.log(`REPORT ${JSON.stringify(process.report.getReport())}`);
	if (ENDS === 'uncaught') void client.order.get({ order_id: 'nobody' });
}

void main();
