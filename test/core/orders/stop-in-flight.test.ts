import { createClient, createAccountMemory, type Ports } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { idleTime } from '../../support/idle-time';
import { errorOf, quickClient, resting } from '../../support/placing';
import { failure, success, useWire } from '../../support/wire';
import { until } from '../../support/condition';

const CREATE = 'POST /partner/exchange/orders';
const LIST = 'GET /partner/exchange/orders';

describe('stopping an order on its way', () => {
	const { wire } = useWire();

	beforeEach(() => {
		wire.on(LIST, success({ count: 0, orders: [] })).on('GET /partner/exchange/markets', success({ markets: [] }));
	});

	it('sends nothing for a call that is stopped before', async () => {
		const error = await errorOf(quickClient(wire.account).order.create(resting, { signal: AbortSignal.abort() }));
		expect(error).toMatchObject({ code: 'aborted' });
		expect(wire.calls(CREATE)).toHaveLength(0);
	});

	it.each(['USD/NGN', 'usdngn'])(
		'a stopped call for %s waits for no list that it shares with others',
		async (pair_id) => {
			const abort = new AbortController();
			const asked: string[] = [];
			const send: Ports['send'] = ({ url }) => {
				asked.push(url);
				setImmediate(() => abort.abort());
				return new Promise(() => undefined);
			};
			const client = createClient(wire.account, { ...nodePorts(), send });
			const error = await errorOf(client.order.create({ ...resting, pair_id }, { signal: abort.signal }));
			expect(error).toMatchObject({ code: 'aborted', done: 'no' });
			expect(asked).toEqual([expect.stringContaining('/markets')]);
		},
	);

	it('sends no more when an order is stopped between attempts', async () => {
		const abort = new AbortController();
		wire.on(CREATE, (_, response) => {
			response.writeHead(503).end();
			abort.abort();
		});
		const error = await errorOf(quickClient(wire.account).order.create(resting, { signal: abort.signal }));
		expect(error.code).toBe('outcome_unknown');
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it('keeps a caller that waited for the run of another within its own time limit', async () => {
		wire.on(LIST, failure(503, {}));
		const time = idleTime();
		const client = createClient(wire.account, time.ports);
		const patience = { unknown_after_seconds: 40 };
		const call = (repeated: boolean) =>
			errorOf(
				client.order.create(resting, { repeated, options: { ...patience, business_key: 'a', check_market: false } }),
			);
		const began = time.ports.clock.elapsed();
		const first = call(false);
		// This call knows of an earlier run, so it does not reuse the other call's outcome and runs the intent itself.
		expect(await time.during(call(true))).toMatchObject({ code: 'outcome_unknown' });
		expect((time.ports.clock.elapsed() - began) / 1_000).toBeLessThanOrEqual(40);
		expect(await first).toMatchObject({ code: 'outcome_unknown', details: { cause: 'unavailable' } });
	});

	it('lets a caller that joined leave, while the run goes on for the one who began it', async () => {
		let answer: (() => void) | undefined;
		wire.on(CREATE, (_, response) => {
			answer = () =>
				void response.end(JSON.stringify({ status: 'success', data: { order_id: 'order-1', status: 'pending' } }));
		});
		const memory = createAccountMemory();
		const abort = new AbortController();
		const first = quickClient(wire.account, { memory }).order.create(resting, { intent: 'a' });
		await until(() => answer, { what: 'the order' });
		const second = errorOf(
			quickClient(wire.account, { memory }).order.create(resting, { intent: 'a', signal: abort.signal }),
		);
		await until(() => wire.calls('GET /partner/exchange/markets').length > 0, { what: 'the check' });
		abort.abort();
		expect(await second).toMatchObject({ code: 'outcome_unknown' });
		answer!();
		expect(await first).toMatchObject({ order_id: 'order-1' });
		expect(wire.calls(CREATE)).toHaveLength(1);
	});

	it.each([
		['outcome_unknown', 'the service was reached', () => wire.account],
		[
			'aborted',
			'nothing was ever sent',
			() => ({ ...wire.account, baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' }),
		],
	] as const)('ends an order with %s when it is stopped during a pause and %s', async (code, _, account) => {
		wire.on(CREATE, failure(429, {}, { 'retry-after': '60' }));
		const abort = new AbortController();
		const stopsAtFirstPause = {
			now: () => 0,
			elapsed: () => 0,
			after: () => (setImmediate(() => abort.abort()), () => undefined),
		};
		const client = createClient(account(), { ...nodePorts(), clock: stopsAtFirstPause });
		const options = { check_market: false };
		const error = await errorOf(client.order.create(resting, { signal: abort.signal, options }));
		expect(error.code).toBe(code);
		expect(wire.calls(CREATE)).toHaveLength(code === 'aborted' ? 0 : 1);
	});
});
