/** Cancel Open Orders under each fault of the sandbox. */
import { createClient } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import { faultKinds } from '../../packages/sandbox/src/server/faults';
import { accountOf, ordersIn, streamingClient } from '../support/placing';

const resting = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00' } as const;
/** Answers that no further try mends, and delays, which need no mending. */
const hopeless = ['unauthorized', 'forbidden', 'delay', 'commit-then-delay'];
const mended = Object.keys(faultKinds).filter((kind) => !hopeless.includes(kind));

describe('Cancel Open Orders under a fault', () => {
	it.concurrent.each(mended)('cancels everything under the fault %s', async (kind) => {
		const sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
		const { client, stream } = streamingClient(accountOf(sandbox));
		const placing = createClient(accountOf(sandbox), nodePorts());
		for (const price of ['1000.00', '999.00', '998.00'])
			await placing.order.create({ ...resting, price }, { options: { wait: 'accepted' } });
		const fault = await fetch(`${new URL(sandbox.baseUrl).origin}/_sandbox/faults`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ kind, times: 2 }),
		});
		expect(fault.ok).toBe(true);
		const { orders, still_open, problem } = await client.order.cancelAll({});
		expect({ still_open, problem }).toEqual({ still_open: 0, problem: null });
		expect(orders.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
		expect(ordersIn(sandbox).map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
		await stream.close();
		await sandbox.close();
	});
});
