import { Agent, request } from 'node:http';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openingBook, trading, type Operation } from './operations';
import { folder } from '../bundle';
import { startProcess, stop } from './process';

const AT_ONCE = 50;
const DEPTH = 10_000;
const ORDERS = 10_000;
const decimal = (units: number) => `${Math.floor(units / 100)}.${String(units % 100).padStart(2, '0')}`;

/** Orders over HTTP into a sandbox of its own, answered per second. */
export async function ordersPerSecond(kind: 'memory' | 'durable'): Promise<number> {
	const data = join(folder, 'bench.sqlite');
	for (const suffix of ['', '-wal', '-shm']) rmSync(data + suffix, { force: true });
	const { child, url } = await startProcess(['--no-market-maker', ...(kind === 'durable' ? ['--data', data] : [])]);
	await issueKeys(url);
	const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
	const limits = (operations: Operation[]) => operations.filter(({ kind: one }) => one !== 'cancel');
	await postAll(
		url,
		agent,
		limits(openingBook(DEPTH)).map((operation) => ({ ...operation, quantity: 1 }) as Operation),
	);
	const operations = limits(trading(2 * ORDERS, 7)).slice(0, ORDERS);
	const started = performance.now();
	await postAll(url, agent, operations);
	const perSecond = (operations.length / (performance.now() - started)) * 1_000;
	agent.destroy();
	await stop(child);
	return perSecond;
}

/** Each key may send 2,000 requests a second, which one client alone reaches; these share what is measured. */
const KEYS = Array.from({ length: 40 }, (_, index) => `bench-key-${index}`);

async function issueKeys(url: string): Promise<void> {
	const accounts = ['trader@sandbox.test', 'second@sandbox.test'];
	for (const [index, key] of KEYS.entries()) {
		const { ok, status } = await fetch(`${url}/_sandbox/keys`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ key, email: accounts[index % 2], access: ['orderCreate'] }),
		});
		if (!ok) throw new Error(`A key was answered with ${status}`);
	}
}

async function postAll(url: string, agent: Agent, operations: Operation[]): Promise<void> {
	let next = 0;
	async function work() {
		while (next < operations.length) await post(url, agent, operations[next++] as Operation);
	}
	await Promise.all(Array.from({ length: AT_ONCE }, work));
}

let turn = 0;

function post(url: string, agent: Agent, operation: Operation): Promise<void> {
	if (operation.kind === 'cancel') return Promise.resolve();
	const { id, kind, side, quantity } = operation;
	const price = kind === 'limit' ? decimal(operation.price) : undefined;
	const body = JSON.stringify({ pair_id: 'USD/NGN', side, order_type: kind, quantity: decimal(quantity), price });
	const headers = {
		'content-type': 'application/json',
		'content-length': Buffer.byteLength(body),
		'x-api-key': KEYS[turn++ % KEYS.length],
		'idempotency-key': id,
	};
	return new Promise((resolve, reject) => {
		const outgoing = request(`${url}/v1/partner/exchange/orders`, { method: 'POST', agent, headers }, (incoming) => {
			incoming.resume();
			if (incoming.statusCode !== 201) return reject(new Error(`An order was answered with ${incoming.statusCode}`));
			incoming.on('end', resolve);
		});
		outgoing.on('error', reject);
		outgoing.end(body);
	});
}
