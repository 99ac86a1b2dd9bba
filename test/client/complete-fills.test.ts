import {
	createClient,
	createStream,
	type Item,
	type Stream,
	type StreamEvent,
	type StreamPorts,
} from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { streamPolicy } from '@partner-exchange/core/testing';
import type { Sandbox } from '@partner-exchange/sandbox';
import { until } from '../support/condition';
import { accountOf, resting } from '../support/placing';
import { startSandbox } from '../support/sandbox';

/**
 * Three fills per order. The service loses some on the stream, and omits them from the list for a given number of
 * reads.
 */
describe('fills that the service loses', () => {
	let sandbox: Sandbox;
	let stream: Stream;
	const events: StreamEvent[] = [];
	/** The number of reads that do not show an order's last fill yet. */
	const hiddenFor = new Map<string, number>();

	beforeEach(async () => {
		events.length = 0;
		hiddenFor.clear();
		sandbox = await startSandbox();
		const account = accountOf(sandbox);
		const client = createClient(account, nodePorts());
		const page: StreamPorts['client']['page'] = async (id, input, context) => {
			const rows = await client.page(id, input, context);
			return id === 'fill.list' ? withoutHidden(rows) : rows;
		};
		stream = createStream({
			...nodePorts(),
			account,
			client: { ...client, page },
			policy: { ...streamPolicy, readAfterMs: [0], readEveryMs: undefined, fillsLateMs: 2_500 },
		});
		const subscription = stream.subscribe({
			topics: ['user.orders', 'user.fills'],
			deliver: async (args) => void events.push(...args),
		});
		await subscription.ready;
	});
	afterEach(async () => {
		await stream.close();
		await sandbox.close();
	});

	function withoutHidden(rows: Item[]): Item[] {
		const last = new Map(rows.toReversed().map((row) => [row.order_id as string, row]));
		return rows.filter((row) => {
			const id = row.order_id as string;
			const left = hiddenFor.get(id) ?? 0;
			if (left <= 0 || last.get(id) !== row) return true;
			hiddenFor.set(id, left - 1);
			return false;
		});
	}

	/** An order of three fills, the last of which never arrives on the stream. */
	async function filledInParts(hidden: number): Promise<string> {
		const [buyer, seller] = ['sandbox-key', 'sandbox-key-second'].map((key) =>
			createClient(accountOf(sandbox, key), nodePorts()),
		);
		const { order_id } = await buyer!.order.create({ ...resting, quantity: '30.00' });
		const filled = () => sandbox.engine.state.orders.get(order_id)!.filled;
		sandbox.faults.arm({ kind: 'skip-event', topic: 'user.fills', apiKey: 'sandbox-key', after: 2 });
		for (let part = 1; part <= 3; part += 1) {
			if (part === 3) hiddenFor.set(order_id, hidden);
			const before = filled();
			await seller!.order.create({ ...resting, side: 'sell' });
			await until(() => filled() > before, { what: 'a fill' });
		}
		return order_id;
	}

	const of = (orderId: string) => events.filter(({ data }) => (data as Item).order_id === orderId);
	const noticesOf = (orderId: string) => of(orderId).filter(({ kind }) => kind === 'incomplete_fills');
	const fillsOf = (orderId: string) => of(orderId).filter(({ kind, topic }) => topic === 'user.fills' && !kind);

	it('reports missing fills by order with the missing quantity, and no fills that are only late', async () => {
		const late = await filledInParts(1);
		await until(() => fillsOf(late).length === 3, { what: 'the late fill', seen: () => events });
		const lost = await filledInParts(Number.POSITIVE_INFINITY);
		await until(() => noticesOf(lost).length === 1, { what: 'the notice', seen: () => events });
		expect(noticesOf(lost)[0]!.data).toMatchObject({
			...{ order_id: lost, expected: '30', counted: '20', missing: '10', fills_known: 2, done: 'read' },
		});
		expect(fillsOf(lost)).toHaveLength(2);
		expect(noticesOf(late)).toEqual([]);
	});
});
