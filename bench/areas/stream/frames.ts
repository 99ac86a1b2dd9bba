/** Messages of the same size in the forms that the clients understand, and what their subscriptions are answered with. */
export interface Feed {
	frame(sequence: number): string;
	/** What to say to a message of a client; nothing where it expects nothing. */
	answer(message: ClientMessage): string | undefined;
	/** Whether the client has asked for all it wants, so that the frames may come. */
	isReady(message: ClientMessage): boolean;
}

export interface ClientMessage {
	id?: number;
	type?: string;
	method?: string;
	topics?: string[];
	connect?: unknown;
	subscribe?: unknown;
}

export const TOPIC = 'trades.USD_NGN';
export const SYMBOL = 'BTCUSDT';

const EPOCH = 'mjuixs00-1';
const BEGIN_MS = 1_767_603_600_000;
const idOf = (sequence: number): string => `00000000-0000-4000-8000-${String(sequence).padStart(12, '0')}`;

/** A public trade as the service sends it. */
function trade(sequence: number, topic = TOPIC): string {
	const ts = new Date(BEGIN_MS + sequence).toISOString();
	const data = {
		...{ id: idOf(sequence), pair_id: 'USD/NGN', price: '1500.25', quantity: '10.00', side: 'buy' },
		...{ sequence, created_at: ts },
	};
	return JSON.stringify({ type: 'data', topic, seq: sequence, epoch: EPOCH, ts, data });
}

/** A change of an order of one's own, 8 of each order. */
function orderUpdate(sequence: number): string {
	const ts = new Date(BEGIN_MS + sequence).toISOString();
	const step = sequence % 8;
	const data = {
		...{
			id: idOf(sequence - step),
			pair_id: 'USD/NGN',
			side: 'buy',
			type: 'limit',
			price: '1500.25',
			quantity: '80.00',
		},
		...{ filled_quantity: `${step * 10}.00`, status: step === 0 ? 'accepted' : 'partially_filled', created_at: ts },
	};
	return JSON.stringify({ type: 'data', topic: 'user.orders', seq: sequence, epoch: EPOCH, ts, data });
}

/** A fill of an order of one's own. */
function fill(sequence: number): string {
	const ts = new Date(BEGIN_MS + sequence).toISOString();
	const data = {
		...{ id: idOf(sequence), order_id: idOf(sequence), pair_id: 'USD/NGN', side: 'buy', price: '1500.25' },
		...{ quantity: '10.00', fee: '0.01', role: 'taker', created_at: ts },
	};
	return JSON.stringify({ type: 'data', topic: 'user.fills', seq: sequence, epoch: EPOCH, ts, data });
}

const ours = (frame: Feed['frame']): Feed => ({
	frame,
	answer: ({ type, topics }) => (type === 'subscribe' ? JSON.stringify({ type: 'subscribed', topics }) : undefined),
	isReady: ({ type }) => type === 'subscribe',
});

export const feeds = {
	trades: ours((sequence) => trade(sequence)),
	orders: ours(orderUpdate),
	fills: ours(fill),
	/** Each message twice, word for word. */
	twice: ours((sequence) => trade((sequence + 1) >> 1)),
	/** Every second message of a topic nobody asked for. */
	foreign: ours((sequence) => trade(sequence >> 1, sequence % 2 === 0 ? TOPIC : 'trades.GHS_NGN')),
	binance: {
		frame: (sequence) =>
			JSON.stringify({
				...{ e: 'trade', E: BEGIN_MS + sequence, s: SYMBOL, t: sequence, p: '1500.25000000', q: '10.00000000' },
				...{ T: BEGIN_MS + sequence, m: true, M: true },
			}),
		answer: ({ id }) => (id === undefined ? undefined : JSON.stringify({ result: null, id })),
		isReady: ({ method }) => method === 'SUBSCRIBE',
	},
	centrifuge: {
		frame: (sequence) => `{"push":{"channel":"${TOPIC}","pub":{"data":${trade(sequence)},"offset":${sequence}}}}`,
		answer: ({ id, connect }) =>
			connect
				? JSON.stringify({ id, connect: { client: 'bench', version: '6.0.0', ping: 0, pong: false } })
				: JSON.stringify({ id, subscribe: { recoverable: false } }),
		isReady: ({ subscribe }) => subscribe !== undefined,
	},
} satisfies Record<string, Feed>;

export type FeedName = keyof typeof feeds;
