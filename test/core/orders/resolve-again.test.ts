import { createClient, createInFlightIntents, type CommandAck } from '@partner-exchange/core';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { idleTime } from '../../support/idle-time';
import { accountOf, createsIn, errorOf, quickClient, resting } from '../../support/placing';

describe('an order asked for again after its outcome was unknown', () => {
	let sandbox: Sandbox;
	afterEach(() => sandbox.close());

	it('finds an order of unknown outcome again however late, also for a caller that missed the first run', async () => {
		sandbox = await startSandbox({ clock: 'virtual' });
		const time = idleTime((byMs) => sandbox.advance(byMs));
		const client = createClient(accountOf(sandbox), time.ports);
		sandbox.faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		sandbox.faults.arm({ kind: 'server-error', operation: 'order.list', times: 1_000 });
		const place = () => client.order.create(resting, { intent: 'message 1', options: { check_market: false } });
		expect(await time.during(errorOf(place()))).toMatchObject({ code: 'outcome_unknown' });
		sandbox.faults.disarm();
		const order = [...sandbox.engine.state.orders.values()].at(-1)!;
		expect(await time.during(place())).toMatchObject({ order_id: order.id, repeated: true });
		expect(createsIn(sandbox)).toHaveLength(1);
	});

	it('sends a cancel again under another key where it was acknowledged and came to nothing', async () => {
		sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
		const keys: unknown[] = [];
		const inFlight = createInFlightIntents();
		const { order_id } = await quickClient(accountOf(sandbox)).order.create(resting);
		const commands = () => ({
			command: async (action: CommandAck['action'], { idempotency_key }: Readonly<Record<string, unknown>>) => {
				keys.push(idempotency_key);
				return { action, data: { order_id, status: 'cancelling' } };
			},
		});
		const cancel = () =>
			quickClient(accountOf(sandbox), { commands, inFlight }).order.cancel(
				{ pair_id: 'USD/NGN', order_id: String(order_id) },
				{ intent: 'stop' },
			);
		for (let times = 0; times < 3; times += 1) expect(await cancel()).toMatchObject({ status: 'accepted' });
		expect(new Set(keys).size).toBe(3);
		sandbox.engine.apply({
			...{ kind: 'order_cancel', accountId: 'trader', key: 'elsewhere', fingerprint: '' },
			fields: { pair_id: 'USD/NGN', order_id: String(order_id) },
		});
		expect(await cancel()).toMatchObject({ status: 'cancelled' });
		expect(keys).toHaveLength(3);
	});
});
