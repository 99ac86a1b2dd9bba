import type { CallContext, Item } from '@partner-exchange/core';
import { additions, answerOf, operationOf, usual, type OperationId } from '@partner-exchange/core/catalogue';
import { startSandbox } from '@partner-exchange/sandbox';
import { accountOf, quickClient, resting, streamingClient } from '../support/placing';
import { drop, success, useWire } from '../support/wire';
import { forAll } from '../support/opened';

const fills = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '1.00' };
const pair_id = 'USD/NGN';

/** Fields of a response that the catalogue entry does not name, other than those that services commonly add. */
const undeclared = (id: OperationId, answer: Item, sent: Item = {}): string[] =>
	Object.keys(answer).filter((name) => !Object.hasOwn({ ...sent, ...(answerOf(operationOf(id)) as object) }, name));

describe('the fields of an answer', () => {
	const sandbox = forAll(() => startSandbox({ marketMaker: true, seed: 7 }));
	const used = forAll(() => streamingClient(accountOf(sandbox)));
	const seen = new Set<string>();
	/** An order as this service returns it. */
	let sent: Item;

	beforeAll(async () => {
		const { order_id } = await used.client.order.create(resting);
		sent = await used.client.order.get({ order_id });
	});

	/** Runs the operation and compares the response with the catalogue. */
	async function answerTo(id: OperationId, input: Item, options?: CallContext['options']): Promise<Item> {
		const answer = (await used.client.call(id, input, { options })) as Item;
		return told(id, answer, sent);
	}
	function told(id: OperationId, answer: Item, sent?: Item): Item {
		expect(undeclared(id, answer, sent)).toEqual([]);
		for (const name of Object.keys(answer)) seen.add(name);
		return answer;
	}

	it('names in the catalogue every field of a new order, repeated or not', async () => {
		const placed = await answerTo('order.create', resting, { business_key: 'invoice 7' });
		expect(await answerTo('order.create', resting, { business_key: 'invoice 7' })).toEqual({
			...placed,
			repeated: true,
			original_created_at: placed.created_at,
		});
	});

	it('names in the catalogue every field of an order that was waited for', async () => {
		const answer = await answerTo('order.create', fills, { wait: 'final' });
		expect(answer).toMatchObject({ status: 'filled', wait: { reached: true } });
		const named = (answerOf(operationOf('order.create')) as { wait: object }).wait;
		expect(Object.keys(named)).toEqual(expect.arrayContaining(Object.keys(answer.wait as object)));
	});

	it('names in the catalogue every field of a rejected order', async () => {
		const huge = { ...resting, quantity: '90000.00' };
		const answer = await answerTo('order.create', huge, {
			wait: 'final',
			check_market: false,
			fail_when: 'never',
		});
		expect(answer).toMatchObject({ status: 'rejected', rejection: expect.any(String) });
	});

	it('names in the catalogue every field of a replaced and a cancelled order', async () => {
		const { order_id, client_order_id } = await answerTo('order.create', resting, { wait: 'accepted' });
		const changes = { pair_id, order_id, quantity: '9.00', price: '1401.00' };
		const { new_order_id } = await answerTo('order.replace', changes, { wait: 'accepted' });
		const first = await answerTo('order.resolve', { client_order_id });
		expect(first).toMatchObject({ replaced_by_order_id: new_order_id, replacement: { id: new_order_id } });
		const cancelled = await answerTo('order.cancel', { pair_id, order_id: new_order_id }, { wait: 'final' });
		expect(cancelled).toMatchObject({ acknowledgement: 'cancelling', status: 'cancelled', order_id: new_order_id });
	});

	it('names in the catalogue every field of an order resolved by its client order ID', async () => {
		const { client_order_id } = await answerTo('order.create', resting);
		expect(await answerTo('order.resolve', { client_order_id })).toMatchObject({ outcome: 'accepted' });
		const nobody = (await quickClient(used.client.account).call<OperationId>('order.resolve', {
			client_order_id: 'nobody',
		})) as Item;
		expect(nobody).toMatchObject({ outcome: 'unknown' });
		told('order.resolve', nobody);
	});

	it('names in the catalogue every field of a recipient that is removed twice', async () => {
		const recipient = { recipient_type: 'crypto', currency: 'USDT', label: 'Cold', chain: 'TRON' };
		const saved = { ...recipient, crypto_address: `T${'x'.repeat(33)}` };
		const { id } = await answerTo('recipient.create', saved);
		await answerTo('recipient.delete', { recipient_id: id });
		expect(await answerTo('recipient.delete', { recipient_id: id })).toMatchObject({ already_gone: true });
	});

	it('names in the catalogue every field of a verified account', async () => {
		const account = { bank_code: '058', account_number: '0123456789' };
		const options = { expected_name: 'Somebody Else', fail_when_name: 'never' } as const;
		const answer = (await used.client.call('wallet.verifyAccount', account, { options })) as Item;
		expect(Object.keys(answer).sort()).toEqual(
			[...Object.keys(usual['wallet.verifyAccount']!), 'bank_name', 'name_match'].sort(),
		);
		for (const name of Object.keys(answer)) seen.add(name);
	});

	it('shows the transaction last in the answer of a deposit', async () => {
		const deposit = { email: 'trader@sandbox.test', amount: '100.00', currency: 'NGN' };
		const answer = (await used.client.call<OperationId>('simulation.fiatDeposit', deposit, {
			options: { read_back: true },
		})) as Item;
		for (const name of Object.keys(answer)) seen.add(name);
		expect(operationOf('simulation.fiatDeposit').adds).toContain('transaction');
		expect(answer.transaction).toMatchObject({ amount: '100.00' });
	});

	describe('of an order', () => {
		const { wire } = useWire();
		const MARKETS = 'GET /partner/exchange/markets';
		const ORDERS = 'POST /partner/exchange/orders';
		const LIST = 'GET /partner/exchange/orders';
		beforeEach(() => wire.on(MARKETS, success({ markets: [] })));
		const create = async (more = {}, options?: CallContext['options']) => {
			const client = quickClient(wire.account);
			const answer = (await client.call<OperationId>('order.create', { ...resting, ...more }, { options })) as Item;
			return told('order.create', answer);
		};

		it('names in the catalogue the fields of an order that the service doubled', async () => {
			const twice = ['o1', 'o2'].map((id) => ({ ...resting, id, client_order_id: 'desk-1', status: 'accepted' }));
			wire.on(ORDERS, drop).on(LIST, success({ count: 2, orders: twice }));
			expect(await create({ client_order_id: 'desk-1' })).toMatchObject({ duplicate_order_ids: ['o2'] });
		});

		it('names in the catalogue the fields of an order that was replaced while it was awaited', async () => {
			const replace = { replaced_by_order_id: 'o2', replaces_order_id: null };
			wire.on(ORDERS, success({ order_id: 'o1', status: 'pending' }));
			wire.on(`${LIST}/o1`, success({ ...resting, id: 'o1', status: 'cancelled', replace }));
			wire.on(`${LIST}/o2`, success({ ...resting, id: 'o2', status: 'filled', filled_quantity: '10.00' }));
			const answer = await create({}, { wait: 'final', fail_when: 'time_limit' });
			expect(answer).toMatchObject({ order_id: 'o1', replaced_by_order_id: 'o2', status: 'filled' });
		});

		it('names in the catalogue the fields of an order whose end the reply claims and no read confirms', async () => {
			wire.on(ORDERS, success({ order_id: 'o1', status: 'filled' }));
			expect(await create()).toMatchObject({ order_id: 'o1', acknowledgement: 'filled', status: null });
		});
	});

	it('adds to answers every field that the catalogue says is added', () => {
		expect(Object.keys(additions).filter((name) => !seen.has(name))).toEqual([]);
	});
});
