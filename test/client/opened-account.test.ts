import { isExchangeError, type Resolution } from '@partner-exchange/core';
import { fileJournal, nodePorts, openAccount } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/folder';
import { until } from '../support/condition';
import { fastClock } from '../support/wire';
import { forAll } from '../support/opened';

const apiKey = 'sandbox-key';
const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10', price: '1000' } as const;

describe('an account that a script opens', () => {
	const sandbox = forAll(() => startSandbox({ marketMaker: false }));
	const folder = newFolder();

	it('needs one address, and cancels over the stream what it placed', async () => {
		await using exchange = openAccount({ environment: 'sandbox', baseUrl: sandbox.baseUrl, apiKey: apiKey });
		expect(exchange.client.account.wsUrl).toBe(sandbox.wsUrl);
		const placed = await exchange.client.order.create(order);
		const cancelled = await exchange.client.order.cancel(
			{ pair_id: order.pair_id, order_id: placed.order_id },
			{ options: { wait: 'final' } },
		);
		expect(cancelled).toMatchObject({ status: 'cancelled' });
	});

	it('keeps an order whose reply was lost in its journal, and tells what became of it', async () => {
		const told: Resolution[] = [];
		const file = join(folder, 'orders.json');
		const account = { environment: 'sandbox', baseUrl: sandbox.baseUrl, apiKey } as const;
		const { client, close } = openAccount(account, {
			ports: { ...nodePorts(), clock: fastClock },
			journal: fileJournal(file),
			onResolved: (resolution) => void told.push(resolution),
		});
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 1_000 });
		const outcome: unknown = await client.order
			.create(order, { intent: 'once', options: { unknown_after_seconds: 1, check_market: false } })
			.catch((error: unknown) => error);
		assert(isExchangeError(outcome, 'outcome_unknown'));
		expect(readFileSync(file, 'utf8')).toContain(outcome.details.client_order_id);
		sandbox.faults.disarm();
		const resolution = await until(() => told[0], { what: 'the outcome of the order' });
		expect(resolution).toMatchObject({ operation: 'order.create', outcome: 'accepted' });
		await close();
	});
});
