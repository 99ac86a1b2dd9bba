/**
 * What the types of the client say to a script, as `npm run typecheck` sees it: a line that no longer fails where it is
 * marked, or fails where it is not, is an error of the compiler.
 */
import type { OperationId } from '@partner-exchange/core/catalogue';
import {
	isExchangeError,
	type Client,
	type ErrorOf,
	type Fill,
	type Order,
	type Stream,
	type StreamEvent,
} from '@partner-exchange/core';

declare const client: Client;
declare const id: OperationId;
declare const stream: Stream;
declare function known(fill: Fill): void;
declare const caught: unknown;
declare const later: string[];
const order = { pair_id: 'USD/NGN', side: 'buy', quantity: '10.00' } as const;

/** What is right needs no cast. */
export async function run(): Promise<string> {
	await client.order.create({ ...order, order_type: 'limit', price: '1500.00' });
	await client.order.create({ ...order, order_type: 'market' }, { options: { wait: 'final', business_key: 'a' } });
	await client.wallet.balances();
	for await (const each of client.order.list({ status: 'filled' })) {
		const known: Order = each;
		if (known.status === 'filled' || known.status === 'a later one') return known.filled_quantity;
	}
	const { orders } = await client.order.list();
	const rows: Order[] = await client.page('order.list', { pair_id: 'USD/NGN' });
	for await (const row of client.items('wallet.banks', {}, { limit: 5 }))
		rows.push(...(row.bank_code === '058' ? orders : []));
	const called = await client.call('order.create', { ...order, order_type: 'market' }, { options: { wait: 'final' } });
	if (called.status === 'filled' && called.wait?.reached) return called.order_id;
	if (called.wait !== undefined) {
		const { until, ended, problem } = called.wait;
		if (until === 'final' && ended === 'time_limit') return problem ?? 'it took too long';
		// What is left of both is told apart, too.
		const left: 'reached' | 'rejected' | 'cancelled' | 'failed' | 'time_limit' | 'stopped' | 'expired' | 'unreadable' =
			ended;
		if (until !== 'accepted' && until !== 'final') return `${until satisfies 'settled'} ${left}`;
	}
	const { orders: open, problem } = await client.order.cancelAll({ pair_id: 'USD/NGN' });
	if (problem !== undefined && problem !== null) return `${open?.length ?? 0}: ${problem.trim()}`;
	const { transaction } = await client.simulation.fiatDeposit({ email: 'a@b.c', amount: '1', currency: 'NGN' });
	const credited: string | undefined = transaction?.status;
	const unknownYet: unknown = await client.call(credited === undefined ? id : 'order.get', { anything: true });
	const { best_bid } = await client.market.ticker({ pair_id: String(unknownYet ?? rows[0]?.pair_id) });
	stream.subscribe({
		topics: ['user.orders', 'user.fills', 'trades.USD_NGN', 'orderbook.*'],
		deliver: async (events) => {
			for (const event of events) {
				if (event.kind === 'gap') console.log(event.data.may_be_missing, event.data.done === 'read');
				else if (event.kind !== undefined) console.log(event.data.missing);
				else if (event.topic === 'user.orders')
					console.log(event.data.status === 'filled', event.data.remaining_quantity);
				else if (event.topic === 'user.fills') known(event.data);
				else if (event.topic === 'trades.USD_NGN') console.log(event.data.side === 'buy', event.data.sequence);
				else console.log(event.topic === 'orderbook.USD_NGN' && event.data.bids?.[0]?.price);
			}
		},
	});
	stream.subscribe({ topics: later, deliver: async ([event]) => console.log(event?.data) });
	const keep = async (events: StreamEvent<'user.fills'>[]) =>
		events.forEach(({ kind, data }) => kind === undefined && known(data));
	stream.subscribe({ topics: ['user.fills'], deliver: keep });
	const fills: Fill[] = [];
	for await (const fill of client.fill.list()) fills.push(fill);
	const bank: string | undefined = (await client.wallet.banks()).banks[0]?.bank_code;
	if (isExchangeError(caught, 'outcome_unknown')) return caught.details.client_order_id ?? '';
	else if (isExchangeError(caught)) return caught.code;
	const error = caught as ErrorOf<'timeout'> | ErrorOf<'rejected'>;
	if (isExchangeError(error, 'timeout')) return error.code;
	return error.details.order_id ?? bank ?? orders[0]?.id ?? fills[0]?.price ?? best_bid ?? '';
}

/** What would do nothing, or something else than it says, does not compile. */
export function refused(): void {
	// @ts-expect-error -- a limit order needs a price
	void client.order.create({ ...order, order_type: 'limit' });
	// @ts-expect-error -- a market order takes none
	void client.order.create({ ...order, order_type: 'market', price: '1500.00' });
	// @ts-expect-error -- options are a member of their own
	void client.order.create({ ...order, order_type: 'market' }, { wait: 'final' });
	// @ts-expect-error -- a list waits for nothing
	void client.order.list({}, { options: { wait: 'final' } });
	// @ts-expect-error -- an identifier is text
	void client.order.get({ order_id: 5 });
	// @ts-expect-error -- a chain is missing, and a bank code is of the other kind
	void client.recipient.create({ recipient_type: 'crypto', currency: 'USDT', label: 'a', bank_code: '058' });
	// @ts-expect-error -- a gap is no fill
	void stream.subscribe({ topics: ['user.fills'], deliver: async ([event]) => known(event!.data) });
	// @ts-expect-error -- topics known later have unknown events
	void stream.subscribe({ topics: later, deliver: async ([event]) => known(event!.data) });
	// @ts-expect-error -- the input has another name
	void client.call('order.get', { order: 'a' });
	// @ts-expect-error -- no wait ends so
	void client.order.create({ ...order, order_type: 'market' }).then(({ wait }) => wait?.ended === 'timeout');
	// @ts-expect-error -- a wait that knows everything has no problem
	void client.order.create({ ...order, order_type: 'market' }).then(({ wait }) => wait?.problem.trim());
}
