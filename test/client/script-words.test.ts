import type { OperationId } from '@partner-exchange/core/catalogue';
import { createClient, isExchangeError, type Client, type ExchangeError } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { drop, failure, success, useWire } from '../support/wire';

const { wire, client: form } = useWire();
const script = (): Client => createClient(wire.account, nodePorts());

async function refusalOf(call: PromiseLike<unknown>): Promise<ExchangeError> {
	const error: unknown = await Promise.resolve(call).catch((caught: unknown) => caught);
	if (!isExchangeError(error)) throw new Error('It was not refused');
	return error;
}
const rows = async (client: Client, created_after: string): Promise<void> => {
	for await (const _ of client.items('order.list', {}, { options: { created_after } })) return;
};

describe('the words of an error', () => {
	const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10' };
	it.each<[string, (client: Client) => PromiseLike<unknown>, string, string]>([
		[
			'of an option',
			(client) => client.order.list({}, { options: { created_after: 'soon' } }),
			'Get Many Orders (order.list): Created After (created_after) is not a time',
			'Get Many Orders: Created After is not a time',
		],
		[
			'of a list read item by item',
			(client) => rows(client, 'soon'),
			'Get Many Orders (order.list): Created After (created_after) is not a time',
			'Get Many Orders: Created After is not a time',
		],
		[
			'of a field that depends on another one',
			(client) => client.call<OperationId>('order.create', order),
			'Create Order (order.create): Price (price) is missing: it is required when Order Type (order_type) is limit.',
			'Create Order: Price is missing: it is required when Order Type is limit.',
		],
		[
			'of a page',
			(client) => client.page<OperationId>('fill.list', { limit: 'all' }),
			'Get Many Fills (fill.list): Limit (limit) must be a whole number.',
			'Get Many Fills: Limit must be a whole number.',
		],
	])(
		'name operation and fields %s as a script writes them, and in a form its labels alone',
		async (_, call, ...words) => {
			const [inScript, inForm] = words;
			expect((await refusalOf(call(script()))).message).toContain(inScript);
			expect((await refusalOf(call(form))).message).toContain(inForm);
		},
	);

	it('leave what the service says as it is', async () => {
		wire.on('POST /partner/exchange/orders', failure(422, 'Order Type is a Limit, Price missing'));
		const { message } = await refusalOf(
			script().call<OperationId>(
				'order.create',
				{ ...order, price: '1500' },
				{ intent: 'a', options: { check_market: false } },
			),
		);
		expect(message).toContain('(the service said: Order Type is a Limit, Price missing)');
	});

	it('name the operation that finds out what became of an order', async () => {
		wire.on('POST /partner/exchange/orders', drop).on('GET /partner/exchange/orders', success({ orders: [] }));
		const options = { check_market: false, unknown_after_seconds: 1 };
		const error = await refusalOf(
			script().call<OperationId>('order.create', { ...order, price: '1500' }, { intent: 'b', options }),
		);
		expect(error.message).toContain('to Resolve Order (order.resolve), which only reads');
	});
});

describe('a list that is read item by item', () => {
	it('says that the time of its caller was over, and not that somebody stopped it', async () => {
		const read = async (signal: AbortSignal): Promise<void> => {
			for await (const _ of script().items('order.list', {}, { signal })) return;
		};
		expect(await refusalOf(read(AbortSignal.abort(new DOMException('', 'TimeoutError'))))).toMatchObject({
			code: 'timeout',
		});
		expect(await refusalOf(read(AbortSignal.abort()))).toMatchObject({ code: 'aborted' });
	});
});
