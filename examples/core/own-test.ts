/** A test of your own code against a sandbox of its own: the reply of an order is lost, and the order is placed once. */
import { equal } from 'node:assert/strict';
import { test } from 'node:test';
import { openAccount } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';

void test('an invoice is bought once, though the first reply is lost', async () => {
	const sandbox = await startSandbox({ marketMaker: true });
	const { baseUrl, wsUrl } = sandbox;
	const { client } = openAccount({ environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' });
	sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
	const { status } = await client.order.create(
		{ pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10.00' },
		{ options: { business_key: 'invoice-1', wait: 'final' } },
	);
	equal(status, 'filled');
	equal((await client.order.list()).orders.length, 1);
	await sandbox.close();
});
