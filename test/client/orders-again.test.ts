import { createClient } from '@partner-exchange/core';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { idleTime } from '../support/idle-time';
import { accountOf, createsIn, errorOf, resting } from '../support/placing';

describe('an order asked for again after its outcome was unknown', () => {
	let sandbox: Sandbox;
	afterEach(() => sandbox.close());

	it('is found however old it is by then, also by who was not told of the first run', async () => {
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
});
