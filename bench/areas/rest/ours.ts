import type { OperationId } from '@partner-exchange/core/catalogue';
import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Account, type Client, type IntentJournal, type OrderPorts } from '@partner-exchange/core';
import { fileJournal, nodePorts } from '@partner-exchange/core/node';
import type { Contestant } from '../../area';
import { calls } from './load';

const ORDER = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00', price: '1500.25' };

const clientOf = (address: string, extras: OrderPorts = {}): Client => {
	const [baseUrl, wsUrl] = [`http://${address}/v1`, `ws://${address}/v1/ws`];
	const account: Account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'bench-key' };
	return createClient(account, nodePorts(), extras);
};

/** A whole call: inputs checked, sent, the answer read exactly and looked through. */
export const read = (atOnce: number): Contestant => ({
	title: 'ours, a whole read',
	run: (size, address) => {
		const client = clientOf(address);
		return calls(size, atOnce, (number) => client.call('order.get', { order_id: `order-${number}` }));
	},
});

/** An order with its machine: identity, checks, journal, one attempt, its outcome. */
const placing = (title: string, atOnce: number, journalIn: () => Promise<IntentJournal>): Contestant => ({
	title,
	run: async (size, address) => {
		const client = clientOf(address, { journal: await journalIn() });
		return calls(size, atOnce, (number) =>
			client.call<OperationId>('order.create', ORDER, { intent: `bench-${number}` }),
		);
	},
});

export const inMemory = (atOnce: number): Contestant =>
	placing('ours, an order placed once, its journal in memory', atOnce, async () => {
		const entries = new Map<string, unknown>();
		return {
			record: async (entry) => void entries.set(entry.key, entry),
			close: async (key) => void entries.delete(key),
			open: async () => [],
		};
	});

/** An order that is on the disk before it is sent. */
export const onDisk = (atOnce: number): Contestant =>
	placing('ours, an order placed once, its journal on the disk', atOnce, async () => {
		const folder = await mkdtemp(join(tmpdir(), 'bench-'));
		process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
		return fileJournal(join(folder, 'journal'));
	});
