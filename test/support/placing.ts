import {
	createClient,
	createStream,
	isExchangeError,
	type Account,
	type Client,
	type Clock,
	type ExchangeError,
	type OrderPorts,
} from '@partner-exchange/core';
import { nodePorts, systemClock } from '@partner-exchange/core/node';
import type { Sandbox } from '@partner-exchange/sandbox';
import { quickClock } from './wire';

/** A limit order that rests: no offer is as low. */
export const resting = {
	pair_id: 'USD/NGN',
	side: 'buy',
	order_type: 'limit',
	quantity: '10.00',
	price: '1400.00',
} as const;

export const accountOf = ({ baseUrl, wsUrl }: Sandbox, apiKey = 'sandbox-key'): Account => ({
	environment: 'sandbox',
	baseUrl,
	wsUrl,
	apiKey,
});

/** A client that skips all waits, and remembers nothing of other clients unless it is given their memory. */
export function quickClient(account: Account, host: OrderPorts = {}): Client & { waited: number[] } {
	const clock = quickClock();
	return Object.assign(createClient(account, { ...nodePorts(), clock, random: () => 0.999 }, host), {
		waited: clock.waited,
	});
}

/** A client with a stream for its commands, both in real time unless the client is given another clock. */
export function streamingClient(account: Account, clock: Clock = systemClock) {
	const stream = createStream({
		...nodePorts(),
		account,
		client: createClient(account, nodePorts()),
	});
	const host: OrderPorts = { commands: () => stream, orderEvents: (listener) => stream.onOrderUpdate(listener) };
	return { client: createClient(account, { ...nodePorts(), clock }, host), stream, close: () => stream.close() };
}

/** The error a promise rejects with. */
export async function errorOf(work: Promise<unknown>): Promise<ExchangeError> {
	const end = await work.then(
		(value) => ({ value }),
		(error: unknown) => ({ error }),
	);
	if ('error' in end && isExchangeError(end.error)) return end.error;
	throw new Error(`Expected an ExchangeError, got ${JSON.stringify(end)}`);
}

/** Orders of the default account in the exchange. */
export const ordersIn = ({ engine }: Sandbox) =>
	engine.state.accounts.get('trader')!.orders.map((id) => engine.state.orders.get(id)!);

/** The requests to the order route, in order. */
export const createsIn = ({ requests }: Sandbox) =>
	requests.filter(({ method, path }) => method === 'POST' && path.endsWith('/orders'));
