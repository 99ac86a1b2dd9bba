/** Orders in a real Node-RED under process kills, repeated messages and lost replies. */
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../support/condition';
import { createsIn, ordersIn, resting } from '../../support/placing';
import { account, call, node, openBench, payloadOf, tab, type Bench, type Result } from '../../node-red/flows';

/**
 * The service forgets idempotency keys at once, so only the client keeps a second request from placing a second order.
 */
const KEY_RETENTION_MS = 1;

describe('orders placed by a Node-RED', () => {
	let bench: Bench;
	let before: { orders: number; requests: number };

	const flow = () => [tab, account(bench.sandbox), ...node('order-node', 'create-order', resting)];
	const placed = () => ordersIn(bench.sandbox).slice(before.orders);
	const requests = () => createsIn(bench.sandbox).slice(before.requests);
	const deliver = async (_msgid: string): Promise<Result> => await call(bench.nodeRed, 'order-node', { _msgid });
	const idOf = (result: Result): unknown => payloadOf(result).order_id;
	const journal = async (): Promise<string> => {
		const folder = join(bench.nodeRed.userDir, 'partner-exchange');
		const [file] = (await readdir(folder)).filter((name) => name.endsWith('.journal'));
		return await readFile(join(folder, file!), 'utf8');
	};

	beforeAll(async () => {
		bench = await openBench({ settings: { keyRetentionMs: KEY_RETENTION_MS } });
		await bench.nodeRed.deploy(flow());
	});
	afterAll(async () => await bench.close());
	beforeEach(() => {
		bench.sandbox.faults.disarm();
		before = { orders: ordersIn(bench.sandbox).length, requests: createsIn(bench.sandbox).length };
	});

	it('accepts an order by lookup when the reply is lost', async () => {
		bench.sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		const id = idOf(await deliver('lost-reply'));
		expect(placed().map((order) => order.id)).toEqual([id]);
		expect(requests()).toHaveLength(1);
	});

	it('places one order when the same message arrives twice at once, and again after a deploy', async () => {
		const { nodeRed } = bench;
		nodeRed.forget();
		bench.sandbox.faults.arm({ kind: 'commit-then-delay', operation: 'order.create', delayMs: 300 });
		await Promise.all([1, 2].map(async () => await nodeRed.send('order-node', { _msgid: 'twice' })));
		const answers = () => nodeRed.messages.filter(({ from }) => from === 'order-node');
		await until(() => answers().length === 2, { what: 'both answers' });
		await nodeRed.deploy(flow(), 'full');
		const later = idOf(await deliver('twice'));
		const reports = answers().map(({ message }) => (message.payload as Record<string, unknown>)['order_id']);
		const [order, ...more] = placed();
		expect(more).toEqual([]);
		expect([...reports, later]).toEqual([...reports, later].map(() => order!.id));
		expect(requests()).toHaveLength(1);
	});

	it('looks an order up after a kill right behind the send, and does not send it again before that', async () => {
		const { nodeRed, sandbox } = bench;
		const send = async (kind: 'commit-then-hang' | 'hang'): Promise<void> => {
			const sent = requests().length;
			sandbox.faults.arm({ kind, operation: 'order.create' });
			await nodeRed.send('order-node', { _msgid: kind });
			await until(() => requests().length > sent, { what: 'the order at the service' });
		};
		await send('commit-then-hang');
		await send('hang');
		const [made] = placed();
		expect(placed()).toHaveLength(1);
		const [, nameOfOther] = requests().map(
			({ body }) => (JSON.parse(body) as { client_order_id: string }).client_order_id,
		);
		const open = await journal();
		expect(open).toContain(made!.clientOrderId);
		expect(open).toContain(nameOfOther);
		expect(open).not.toContain('sandbox-key');

		await nodeRed.restart('SIGKILL');
		await until(() => nodeRed.log().includes(`(${made!.clientOrderId}) was left open; it is done`), {
			what: 'the order to be looked up',
			seen: () => nodeRed.log().slice(-1500),
		});
		expect(requests()).toHaveLength(2);

		// On redelivery, the first is known, and the second is sent once it is certain that it does not exist.
		const [stored, sent] = [await deliver('commit-then-hang'), await deliver('hang')];
		expect(idOf(stored)).toBe(made!.id);
		expect(placed().map(({ id }) => id)).toEqual([made!.id, idOf(sent)]);
		expect(placed()[1]!.clientOrderId).toBe(nameOfOther);
		expect(requests()).toHaveLength(3);
	});

	it("looks an order up after a start that found another machine's lock still fresh, once it is old", async () => {
		const { nodeRed, sandbox } = bench;
		sandbox.faults.arm({ kind: 'commit-then-hang', operation: 'order.create' });
		await nodeRed.send('order-node', { _msgid: 'other-machine' });
		await until(() => placed().length === 1, { what: 'the order at the service' });
		await nodeRed.kill();
		const folder = join(nodeRed.userDir, 'partner-exchange');
		const [name] = (await readdir(folder)).filter((name) => name.endsWith('.journal'));
		const lock = join(folder, `${name}.lock.99`);
		await writeFile(lock, 'another-machine 1');
		await nodeRed.restart();
		await until(() => nodeRed.log().includes('another process uses it'), { what: 'the lock to be found' });
		const old = new Date(0);
		await utimes(lock, old, old);
		await until(() => nodeRed.log().includes(`(${placed()[0]!.clientOrderId}) was left open; it is done`), {
			what: 'the order to be looked up',
			seen: () => nodeRed.log().slice(-1500),
		});
		expect(requests()).toHaveLength(1);
	});
});
