import { createAccountLimits, createClient, ExchangeError, type CommandAck } from '@partner-exchange/core';
import { createRateLimiters } from '@partner-exchange/core/testing';
import { startSandbox } from '@partner-exchange/sandbox';
import { idleTime } from '../../support/idle-time';
import { accountOf, createsIn, errorOf, ordersIn, quickClient, resting } from '../../support/placing';
import { forAll } from '../../support/opened';

describe('the limits of an account', () => {
	const sandbox = forAll(() => startSandbox({ settings: { orderDelayMs: 0 } }));
	beforeEach(() => sandbox.reset());

	const limits = () => createAccountLimits({ elapsed: () => 0 }, { ordersPerMinute: 2 });

	it('counts no order that is refused before it is sent, and no dry run', async () => {
		const client = quickClient(accountOf(sandbox), { limits: limits() });
		for (let times = 0; times < 3; times += 1) {
			await errorOf(client.order.create(resting, { options: { max_quantity: '1' } }));
			await client.order.create(resting, { options: { dry_run: true } });
		}
		await client.order.create(resting);
		expect(ordersIn(sandbox)).toHaveLength(1);
	});

	it('sends no order in doubt again once the stop switch is on', async () => {
		const value = limits();
		sandbox.faults.arm({ kind: 'drop-before-commit', operation: 'order.create', times: 100 });
		const client = quickClient(accountOf(sandbox), {
			limits: {
				...value,
				admit: async (...requested) => (await value.admit(...requested), void setImmediate(() => value.stop())),
			},
		});
		expect(await errorOf(client.order.create(resting))).toMatchObject({ code: 'outcome_unknown' });
		expect(createsIn(sandbox)).toHaveLength(1);
		sandbox.faults.disarm();
	});

	it('stops an order that waits for the pace of its account', async () => {
		const value = limits();
		const time = idleTime();
		const pace = createRateLimiters(time.ports.clock)(accountOf(sandbox));
		sandbox.faults.arm({ kind: 'too-many-requests', operation: 'market.list', times: 1 });
		const paced = pace.send(time.ports.send, 'later');
		const send: typeof paced = (request) => {
			const answer = paced(request);
			if (request.method === 'POST') value.stop('thrown while it waited');
			return answer;
		};
		const client = createClient(accountOf(sandbox), { ...time.ports, send }, { limits: value });
		await time.during(errorOf(client.call('market.list', {}, { retries: 0 })));
		const waiting = errorOf(client.order.create(resting, { options: { check_market: false } }));
		expect(await time.during(waiting)).toMatchObject({ details: { rule: 'stop_switch' } });
		expect(createsIn(sandbox)).toHaveLength(0);
	});

	it('sends a cancel where the limits cannot be read again', async () => {
		const { order_id } = await quickClient(accountOf(sandbox)).order.create(resting);
		const client = quickClient(accountOf(sandbox), {
			renewLimits: () =>
				Promise.reject(new ExchangeError('invalid_account', { what: 'The credential cannot be read' })),
			commands: () => ({
				command: (action, fields): Promise<CommandAck> =>
					Promise.resolve({ action, data: { order_id: fields.order_id, status: 'cancelling' } }),
			}),
		});
		const cancelled = await client.order.cancel({ pair_id: 'USD/NGN', order_id: String(order_id) });
		expect(cancelled).toMatchObject({ order_id });
		expect(await errorOf(client.order.create(resting))).toMatchObject({ code: 'invalid_account' });
	});

	it('stops a replace that waits for the stream', async () => {
		const value = limits();
		const client = quickClient(accountOf(sandbox), {
			limits: value,
			commands: () => ({
				command: async (_action, _fields, _signal, assertWanted): Promise<CommandAck> => {
					value.stop('thrown while it connected');
					await assertWanted?.();
					throw new Error('It was sent');
				},
			}),
		});
		const { order_id } = await quickClient(accountOf(sandbox)).order.create(resting);
		const input = { pair_id: 'USD/NGN', order_id: String(order_id), quantity: '12.00', price: '1390.00' };
		expect(await errorOf(client.order.replace(input))).toMatchObject({ details: { rule: 'stop_switch' } });
	});
});
