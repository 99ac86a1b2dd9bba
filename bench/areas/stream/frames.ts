/** The messages of a topic by their numbers, from 1 on, as a client of it expects them. */
export interface Feed {
	/** How many topics take turns. */
	topics: number;
	/** The first message after what is history has number 1. */
	frame(number: number): string;
	/** The number that a record of the feed shows, counted within its topic. */
	numberOf(record: Record<string, string>): number;
}

/** A feed of the service, whose records its lists show, too. */
export interface ServiceFeed extends Feed {
	topicOf(number: number): string;
	record(number: number): Record<string, unknown>;
}

export const SYMBOL = 'BTCUSDT';
export const PAIRS = 50;
export const UPDATES_PER_ORDER = 8;
/** What happened before anybody listened: the lists show it, and the stream begins after it. */
export const HISTORY = 400;

const EPOCH = 'mjuixs00-1';
const BEGIN_MS = 1_767_603_600_000;
const idOf = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const numberIn = (id: string | undefined): number => Number(id?.slice(24));
const timeOf = (number: number): string => new Date(BEGIN_MS + number).toISOString();

type Described = Pick<ServiceFeed, 'topics' | 'topicOf' | 'record' | 'numberOf'>;

/** As the service writes its messages. */
const serviceFeed = (feed: Described): ServiceFeed => ({
	...feed,
	frame: (sent) => {
		const number = sent + HISTORY;
		const [topic, seq] = [feed.topicOf(number), Math.ceil(number / feed.topics)];
		return JSON.stringify({ type: 'data', topic, seq, epoch: EPOCH, ts: timeOf(number), data: feed.record(number) });
	},
});

/** Public trades of so many pairs in turn, each with numbers of its own. */
const trades = (pairs: number): ServiceFeed => {
	const pairOf = (number: number): string => (pairs === 1 ? 'USD/NGN' : `P${(number - 1) % pairs}/NGN`);
	return serviceFeed({
		topics: pairs,
		topicOf: (number) => `trades.${pairOf(number).replace('/', '_')}`,
		record: (number) => ({
			...{ id: idOf(number), pair_id: pairOf(number), price: '1500.25', quantity: '10.00', side: 'buy' },
			...{ sequence: Math.ceil(number / pairs), created_at: timeOf(number) },
		}),
		numberOf: ({ sequence }) => Number(sequence),
	});
};

/** Changes of one's own orders: accepted, filled in parts, and filled by the eighth message. */
const orders = serviceFeed({
	topics: 1,
	topicOf: () => 'user.orders',
	record: (number) => {
		const step = (number - 1) % UPDATES_PER_ORDER;
		const status = step === 0 ? 'accepted' : step < UPDATES_PER_ORDER - 1 ? 'partially_filled' : 'filled';
		return {
			...{ id: idOf(number - step), pair_id: 'USD/NGN', side: 'buy', type: 'limit', price: '1500.25' },
			...{ quantity: '70.00', filled_quantity: `${step * 10}.00`, status, created_at: timeOf(number - step) },
		};
	},
	numberOf: ({ id, filled_quantity = '' }) => numberIn(id) + Number.parseInt(filled_quantity, 10) / 10,
});

/** Fills of one's own orders. */
const fills = serviceFeed({
	topics: 1,
	topicOf: () => 'user.fills',
	record: (number) => ({
		...{ id: idOf(number), order_id: idOf(number), pair_id: 'USD/NGN', side: 'buy', price: '1500.25' },
		...{ quantity: '10.00', fee: '0.01', role: 'taker', created_at: timeOf(number) },
	}),
	numberOf: ({ id }) => numberIn(id),
});

const singleTopic = trades(1);
/** As long as a trade of the service, so that every client is given as much to read. */
const asLong = (number: number, text: (filling: string) => string): string =>
	text('0'.repeat(Math.max(0, singleTopic.frame(number).length - text('').length)));

export const feeds = {
	trades: singleTopic,
	pairs: trades(PAIRS),
	orders,
	fills,
	/** The same trades with the payload first and with spaces, which the interface allows as well. */
	spaced: {
		...singleTopic,
		frame: (sent) => {
			const { data, ...head } = JSON.parse(singleTopic.frame(sent)) as Record<string, unknown>;
			return JSON.stringify({ data, ...head }, undefined, 1).replaceAll(/\n */g, ' ');
		},
	},
	binance: {
		topics: 1,
		frame: (sent) =>
			asLong(sent, (filling) => {
				const number = sent + HISTORY;
				return JSON.stringify({
					...{ e: 'trade', E: BEGIN_MS + number, s: SYMBOL, t: number, p: '1500.25000000', q: '10.00000000' },
					...{ T: BEGIN_MS + number, b: number, a: number, m: true, M: true },
					...{ buyer: idOf(number), seller: filling },
				});
			}),
		numberOf: ({ t }) => Number(t),
	},
	centrifuge: {
		topics: 1,
		frame: (sent) =>
			asLong(sent, (filling) => {
				const number = sent + HISTORY;
				const data = { ...singleTopic.record(number), epoch: EPOCH, note: filling };
				return JSON.stringify({ push: { channel: singleTopic.topicOf(1), pub: { data, offset: number } } });
			}),
		numberOf: singleTopic.numberOf,
	},
} satisfies Record<string, Feed>;

export type FeedName = keyof typeof feeds;

/** Throws unless each topic's records come once and in order. */
export function inOrder(name: FeedName): (topic: string, record: unknown) => void {
	const { topics, numberOf }: Feed = feeds[name];
	const places = new Map<string, { last: number }>();
	const begin = (): { last: number } => ({ last: HISTORY / topics });
	const single = begin();
	const placeOf = (topic: string): { last: number } => {
		const place = places.get(topic) ?? begin();
		places.set(topic, place);
		return place;
	};
	return (topic, record) => {
		const place = topics === 1 ? single : (places.get(topic) ?? placeOf(topic));
		const number = numberOf(record as Record<string, string>);
		if (number !== (place.last += 1)) throw new Error(`${topic}: number ${number} came where ${place.last} belongs`);
	};
}
