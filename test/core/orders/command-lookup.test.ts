import { ExchangeError, type CommandAck, type ErrorCode, type Item } from '@partner-exchange/core';
import type { CommandAction } from '@partner-exchange/core/catalogue';
import { errorOf, quickClient } from '../../support/placing';
import { failure, success, useWire, type Answer } from '../../support/wire';

const LIST = 'GET /partner/exchange/orders';
const ORDER = 'GET /partner/exchange/orders/order-1';
const NEXT = 'GET /partner/exchange/orders/order-2';

/** A list of a single page. */
function listed(orders: readonly Item[]): Answer {
	return (request, response) => {
		const isFirst = (new URL(request.url!, 'http://wire').searchParams.get('offset') ?? '0') === '0';
		const data = { count: orders.length, orders: isFirst ? orders : [] };
		response.end(JSON.stringify({ status: 'success', data }));
	};
}

describe('reading what became of a command', () => {
	const { wire } = useWire();

	beforeEach(() => wire.on(LIST, listed([])));

	const target = { pair_id: 'USD/NGN', order_id: 'order-1' };
	const anew = { ...target, quantity: '20.00', price: '1390.00' };
	const terms = { ...anew, client_order_id: 'mine' };

	/** A client whose commands fail with these codes in turn, and are then acknowledged. */
	function client(...codes: readonly ErrorCode[]) {
		const sent: CommandAction[] = [];
		const command = (action: CommandAction): Promise<CommandAck> => {
			sent.push(action);
			const code = codes[sent.length - 1];
			if (code !== undefined) return Promise.reject(new ExchangeError(code, { what: 'simulated' }));
			return Promise.resolve({ action, data: { order_id: 'order-1', status: 'cancelling' } });
		};
		return Object.assign(quickClient(wire.account, { commands: () => ({ command }) }), { sent });
	}
	const order = (status: string, more: Item = {}): Answer => success({ id: 'order-1', status, replace: null, ...more });

	it('repeats a command that never left or met a rate limit', async () => {
		wire.on(ORDER, order('accepted'));
		const patient = client('stream_closed', 'rate_limited', 'unreachable');
		expect(await patient.order.cancel(target)).toMatchObject({ order_id: 'order-1', status: 'accepted' });
		expect(patient.sent).toHaveLength(4);
	});

	it('refuses to cancel an order that the service does not know', async () => {
		wire.on(ORDER, failure(404, {}));
		expect(await errorOf(client('conflict').order.cancel(target))).toMatchObject({
			code: 'not_found',
			field: 'order_id',
		});
	});

	it('does not believe a first "not found" of an order that may be too new to be read', async () => {
		wire.on(ORDER, failure(404, {}), failure(404, {}), order('accepted'), order('cancelled'));
		expect(await client('conflict').order.cancel(target)).toMatchObject({ order_id: 'order-1', status: 'cancelled' });
	});

	it('does not call a missing order cancelled when the acknowledgement was lost', async () => {
		wire.on(ORDER, failure(404, {}));
		expect(await errorOf(client('outcome_unknown').order.cancel(target))).toMatchObject({ code: 'outcome_unknown' });
	});

	it('tells a cancelled order with the one that replaced it, which may be open', async () => {
		const cancel = async (more: Item) => {
			wire.on(ORDER, order('cancelled', { filled_quantity: '0.00', ...more }));
			return await client().order.cancel(target);
		};
		expect(await cancel({ replace: { replaced_by_order_id: 'order-2' } })).toMatchObject({
			...{ status: 'cancelled', advice: expect.stringContaining('replaced by order order-2') as string },
		});
		expect(await cancel({})).not.toHaveProperty('advice');
	});

	it('takes the successor that the original names if it carries our client order ID', async () => {
		wire.on(ORDER, order('cancelled', { replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(NEXT, success({ id: 'order-2', client_order_id: 'mine', status: 'accepted', price: '1390.00' }));
		expect(await client('outcome_unknown').order.replace(terms)).toMatchObject({
			original_order_id: 'order-1',
			new_order_id: 'order-2',
			status: 'accepted',
		});
	});

	it('waits for a successor that the list shows later than the end of the original', async () => {
		wire.on(ORDER, order('cancelled'), order('cancelled', { replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(LIST, listed([]));
		wire.on(NEXT, success({ id: 'order-2', client_order_id: 'mine', status: 'accepted', price: '1390.00' }));
		expect(await client('outcome_unknown').order.replace(terms)).toMatchObject({ new_order_id: 'order-2' });
	});

	it('recognizes a successor that keeps the name of the original by price and quantity', async () => {
		const links = { client_order_id: 'old', filled_quantity: '4.00', replace: { replaced_by_order_id: 'order-2' } };
		wire.on(ORDER, order('cancelled', links));
		const next = { id: 'order-2', client_order_id: 'old', status: 'accepted' };
		wire.on(NEXT, success({ ...next, price: '1390.00', quantity: '16.00' }));
		expect(await client('outcome_unknown').order.replace(anew)).toMatchObject({ new_order_id: 'order-2' });
	});

	it.each([
		['another price', { price: '1391.00', quantity: '20.00' }],
		['another quantity', { price: '1390.00', quantity: '21.00' }],
		['no price', { quantity: '20.00' }],
	])('treats a nameless successor with %s neither as ours nor as a refusal', async (_, amounts) => {
		wire.on(ORDER, order('cancelled', { filled_quantity: '0', replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(NEXT, success({ id: 'order-2', status: 'accepted', ...amounts }));
		expect(await errorOf(client('outcome_unknown').order.replace(anew))).toMatchObject({ code: 'outcome_unknown' });
	});

	it('refuses a replace when somebody else has replaced the order', async () => {
		wire.on(ORDER, order('cancelled', { client_order_id: 'old', replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(NEXT, success({ id: 'order-2', client_order_id: 'theirs', status: 'accepted' }));
		expect(await errorOf(client('outcome_unknown').order.replace(terms))).toMatchObject({ code: 'conflict' });
	});

	it('does not refuse a replace for an unknown name while the original hides its own, which it may have passed on', async () => {
		wire.on(ORDER, order('cancelled', { replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(NEXT, success({ id: 'order-2', client_order_id: 'strange', status: 'accepted', price: '1390.00' }));
		expect(await errorOf(client('outcome_unknown').order.replace(terms))).toMatchObject({ code: 'outcome_unknown' });
	});

	describe('of a service that shows no links', () => {
		const SENT = '2026-01-31T12:00:00.000Z';
		const EARLIER = '2026-01-31T11:00:00.000Z';
		const unlinked = { replaced_by_order_id: null, replaces_order_id: null };
		const original: Item = {
			...{ id: 'order-1', client_order_id: 'old', pair_id: 'USD/NGN', side: 'buy', order_type: 'limit' },
			...{ quantity: '20.00', price: '1400.00', filled_quantity: '4.00', status: 'cancelled' },
			...{ created_at: SENT, replace: unlinked },
		};
		const successor: Item = {
			...{ ...original, id: 'order-2', price: '1390.00', quantity: '20.00' },
			...{ filled_quantity: '0', status: 'accepted' },
		};

		async function outcomeBeside(other: Item, { input = anew, code }: { input?: typeof anew; code?: ErrorCode } = {}) {
			wire.on(ORDER, success(original));
			wire.on(NEXT, success(successor));
			wire.on(LIST, listed([other, original]));
			return client(code ?? 'outcome_unknown')
				.order.replace(input)
				.then(
					({ new_order_id }) => new_order_id,
					({ code }: ExchangeError) => code,
				);
		}

		it.each([
			['the quantity that was asked for', {}],
			['what was open of it', { quantity: '16.00' }],
		])(
			'recognizes a successor without links under the name of the original by its price and %s',
			async (_, amounts) => {
				expect(await outcomeBeside({ ...successor, ...amounts })).toBe('order-2');
			},
		);

		describe.each([
			['under the name of the original with another price', { price: '1391.00' }],
			['under the name of the original without a price', { price: null }],
			['without a name that asks for the same', { client_order_id: null }],
		])('in a list without links that shows an order %s', (_, row) => {
			it('leaves a replace unknown after a lost acknowledgement, beside an order without links that may be the successor', async () => {
				expect(await outcomeBeside({ ...successor, ...row })).toBe('outcome_unknown');
			});

			it('leaves a replace unknown where the key is refused beside an order without links that may be the successor', async () => {
				expect(await outcomeBeside({ ...successor, ...row }, { code: 'forbidden' })).toBe('outcome_unknown');
			});

			it('leaves a replace in a shared name unknown beside an order without links that may be the successor', async () => {
				expect(await outcomeBeside({ ...successor, ...row }, { input: terms })).toBe('outcome_unknown');
			});

			it('reports a conflict of the service alone as one, beside an order without links', async () => {
				expect(await outcomeBeside({ ...successor, ...row }, { code: 'conflict' })).toBe('conflict');
			});
		});

		it.each([
			['is older than the original', { created_at: EARLIER }],
			['replaces another one', { replace: { ...unlinked, replaces_order_id: 'order-0' } }],
			['has a name of its own', { client_order_id: 'theirs' }],
			['has no name and another price', { client_order_id: null, price: '1391.00' }],
			['has no name and is of another side', { client_order_id: null, side: 'sell' }],
		])('refuses a replace when the only other order in a list without links %s', async (_, row) => {
			expect(await outcomeBeside({ ...successor, ...row })).toBe('conflict');
		});

		it('recognizes a nameless successor only by its link and its values', async () => {
			const linked = { client_order_id: null, replace: { ...unlinked, replaces_order_id: 'order-1' } };
			expect(await outcomeBeside({ ...successor, ...linked })).toBe('order-2');
		});
	});

	it('takes the links of an order from the list where the order read alone has none', async () => {
		wire.on(ORDER, success({ id: 'order-1', status: 'cancelled' }));
		wire.on(LIST, listed([{ id: 'order-1', status: 'cancelled', replace: { replaced_by_order_id: 'order-2' } }]));
		wire.on(NEXT, success({ id: 'order-2', status: 'accepted', price: '1390.00' }));
		expect(await client('outcome_unknown').order.replace(terms)).toMatchObject({ new_order_id: 'order-2' });
	});

	it('finds a replacement in the list when the original has ended without naming it', async () => {
		wire.on(ORDER, order('cancelled'));
		wire.on(LIST, listed([{ id: 'order-2', client_order_id: 'mine', status: 'rejected' }]));
		wire.on(NEXT, success({ id: 'order-2', client_order_id: 'mine', status: 'rejected', reason: 'Too late' }));
		const options = { fail_when: 'never' as const };
		expect(await client('outcome_unknown').order.replace(terms, { options })).toMatchObject({
			new_order_id: 'order-2',
			status: 'rejected',
		});
	});

	it('waits for a successor that the original names already and that cannot be read yet', async () => {
		wire.on(ORDER, order('cancelled', { replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(
			NEXT,
			failure(404, {}),
			success({ id: 'order-2', client_order_id: 'mine', status: 'accepted', price: '1390.00' }),
		);
		expect(await client('outcome_unknown').order.replace(terms)).toMatchObject({ new_order_id: 'order-2' });
	});

	it('never calls a replace not found whose successor stays unreadable', async () => {
		wire.on(ORDER, order('cancelled', { replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(NEXT, failure(404, {}));
		expect(await errorOf(client('outcome_unknown').order.replace(terms))).toMatchObject({ code: 'outcome_unknown' });
	});

	it.each([
		['price', { price: '1400.00', quantity: '20.00' }],
		['quantity', { price: '1390.00', quantity: '50.00' }],
	])('refuses a business key of a replacement again with another %s', async (_, values) => {
		const options = { business_key: 'move-7' };
		wire.on(ORDER, order('accepted'));
		const name = await client().order.replace({ ...anew, ...values }, { options: { ...options, dry_run: true } });
		const { client_order_id } = (name as unknown as { command: Item }).command;
		wire.on(ORDER, order('cancelled', { quantity: '10.00', replace: { replaced_by_order_id: 'order-2' } }));
		wire.on(NEXT, success({ id: 'order-2', client_order_id, status: 'accepted', price: '1390.00', quantity: '20.00' }));
		const again = client('conflict');
		expect(await errorOf(again.order.replace({ ...anew, ...values }, { options }))).toMatchObject({
			code: 'conflict',
			details: { order_id: 'order-2' },
			message: expect.stringContaining('An earlier replacement under this name exists, with other values'),
		});
		expect(await again.order.replace(anew, { options })).toMatchObject({ new_order_id: 'order-2', repeated: true });
	});

	it.each(['2,00', '-1', { value: '20.00' }])(
		'leaves unknown a successor of its name with the quantity %j',
		async (quantity) => {
			wire.on(ORDER, order('cancelled', { replace: { replaced_by_order_id: 'order-2' } }));
			wire.on(NEXT, success({ ...terms, id: 'order-2', client_order_id: 'mine', status: 'accepted', quantity }));
			const replaced = client('outcome_unknown').order.replace(terms);
			expect(await errorOf(replaced)).toMatchObject({ code: 'outcome_unknown' });
		},
	);
});
