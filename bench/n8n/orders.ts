import type { INodeParameters } from 'n8n-workflow';
import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { runNode } from '../../test/support/engine';
import { serveRest, serveRestFarAway } from '../areas/rest/server';

const ORDERS = 50;

/**
 * The cost of letting the orders of a run go one after another: the same run on n8n's engine with Send Side by Side, in
 * turns, at a service in this process and at one that takes 200 ms for each answer. Prints how long each run took.
 */
export async function orders(rounds: number): Promise<void> {
	for (const [place, address] of [
		['beside it', await serveRest()],
		['far away', await serveRestFarAway()],
	] as const) {
		const took: Record<string, number[]> = { 'one after another': [], 'side by side': [] };
		await timeOf(address, {});
		for (let round = 0; round < rounds; round += 1) {
			took['one after another']!.push(await timeOf(address, {}));
			took['side by side']!.push(await timeOf(address, { sideBySide: true }));
		}
		for (const [way, times] of Object.entries(took))
			process.stdout.write(`${ORDERS} orders ${place}, ${way}: ${times.join(', ')} ms\n`);
	}
}

let executions = 0;

async function timeOf(address: string, options: INodeParameters): Promise<number> {
	const begun = performance.now();
	const { status, error } = await runNode(PartnerExchange, {
		executionId: `execution-${(executions += 1)}`,
		credentials: {
			partnerExchangeApi: {
				...{ environment: 'sandbox', apiKey: 'bench-key' },
				...{ baseUrl: `http://${address}/v1`, wsUrl: `ws://${address}/v1/ws` },
			},
		},
		parameters: {
			...{ resource: 'order', operation: 'create', pair_id: 'USD/NGN', side: 'buy', order_type: 'limit' },
			...{ quantity: '={{ $json.quantity }}', price: '1500.00', options: { wait: 'none', ...options } },
		},
		items: Array.from({ length: ORDERS }, (_, index) => ({ quantity: `${index + 1}.00` })),
	});
	if (status !== 'success') throw new Error(`The action node ended with ${status}: ${error?.message}`);
	return Math.round(performance.now() - begun);
}
