import { Agent, request } from 'node:http';
import { startPart } from '../../processes';
import { openingBook, trading, type Operation } from './operations';

const AT_ONCE = 50;
const DEPTH = 2_000;
const SEED = 7;
const decimal = (units: number): string => `${Math.floor(units / 100)}.${String(units % 100).padStart(2, '0')}`;

/** Each key may send 2,000 requests a second, which one client alone reaches; these share what is measured. */
const KEYS = Array.from({ length: 80 }, (_, index) => `bench-key-${index}`);
const ACCOUNTS = ['trader@sandbox.test', 'second@sandbox.test'];

export const keys = KEYS.map((key, index) => ({ key, email: ACCOUNTS[index % 2]!, access: ['orderCreate'] as const }));

/** Has another process place so many orders at an address, 50 at a time, after it has filled the book. */
export async function placeElsewhere(url: string, size: number, begin: () => void): Promise<void> {
	const { child, line } = startPart(process.argv[1]!, 'load', url, String(size));
	await line;
	begin();
	await new Promise((resolve) => child.once('exit', resolve));
}

/** Only new orders: a cancel may find its order gone, which is another answer. */
const limits = (operations: Operation[]): Operation[] => operations.filter(({ kind }) => kind !== 'cancel');

/** What the other process does: `resting` orders, of which each changes the book, or trading in a book that is there. */
export async function placeOrders([url = '', size = '', kind = 'trading']: readonly string[]): Promise<void> {
	const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
	const opening = (depth: number): Operation[] =>
		openingBook(depth).map((operation) => ({ ...operation, quantity: 1 }) as Operation);
	const isResting = kind === 'resting';
	if (!isResting) await postAll(url, agent, opening(DEPTH));
	process.stdout.write('ready\n');
	const traded = (): Operation[] => limits(trading(2 * Number(size), SEED)).slice(0, Number(size));
	await postAll(url, agent, isResting ? opening(Number(size)) : traded());
	agent.destroy();
}

async function postAll(url: string, agent: Agent, operations: Operation[]): Promise<void> {
	let next = 0;
	async function work(): Promise<void> {
		while (next < operations.length) await post(url, agent, operations[next++]!);
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
