import { startSandbox } from '@partner-exchange/sandbox';
import { withBusinessKey } from '../../../packages/core/src/wire/intent-key';
import { until } from '../../support/condition';
import { makeFill } from '../../support/fills';
import { accountOf, quickClient, resting } from '../../support/placing';
import { forAll } from '../../support/opened';

describe('an order that was placed under a business key', () => {
	const sandbox = forAll(() => startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 } }));

	const place = async (business_key: string, more = {}) =>
		await quickClient(accountOf(sandbox)).order.create({ ...resting, ...more }, { options: { business_key } });
	/** Read by another process, which remembers nothing. */
	const read = async ({ order_id }: { order_id: string }) =>
		(await quickClient(accountOf(sandbox)).order.get({ order_id })) as { business_key?: string };

	it('is told with that key by whoever reads it, in a list too, and so are its fills', async () => {
		const placed = await place('invoice-17', { price: '1500.00' });
		await makeFill(sandbox);
		expect(await read(placed)).toMatchObject({ business_key: 'invoice-17' });
		const client = quickClient(accountOf(sandbox));
		const { orders } = await client.order.list();
		expect(orders.find(({ id }) => id === placed.order_id)).toMatchObject({ business_key: 'invoice-17' });
		const fillsOf = async () => (await client.fill.list({ order_id: placed.order_id })) as { fills: object[] };
		const { fills } = await until(async () => ((await fillsOf()).fills.length > 0 ? await fillsOf() : undefined), {
			what: 'the fill',
		});
		for (const fill of fills) expect(fill).toMatchObject({ business_key: 'invoice-17' });
	});

	it.each([
		['its key holds what a service may not take in a name', 'invoice 17/b', {}],
		['its client order ID holds a trace of its own', 'invoice-18', { client_order_id: 'run-1' }],
	])('is told without it where %s', async (_, key, more) => {
		expect((await read(await place(key, more))).business_key).toBeUndefined();
	});

	it('is never told with the trace of another program, or with a name that only looks derived', async () => {
		const { client_order_id: name } = await place('invoice-19');
		const [key] = String(name).split('_');
		for (const client_order_id of [`${key}_invoice-20`, String(key), 'invoice-19', `${key}_`])
			expect(withBusinessKey({ client_order_id })).toEqual({ client_order_id });
		expect(withBusinessKey({ client_order_id: name, business_key: 'own' })).toMatchObject({ business_key: 'own' });
	});
});
