import {
	createStream,
	ExchangeError,
	type Account,
	type Consumer,
	type Item,
	type OpenSocket,
	type StoredCheckpoint,
	type StreamEvent,
	type StreamNotice,
} from '@partner-exchange/core';
import { random } from '../../simulation/support/random';
import { settled, virtualTime } from '../../simulation/support/time';

/** A socket whose peer the test controls. */
export interface FakeSocket {
	url: string;
	sent: Item[];
	isOpen: boolean;
	isTerminated: boolean;
	open(): void;
	say(message: unknown): void;
	sayText(text: string): void;
	/** Messages that arrive with one read. */
	sayTogether(texts: readonly string[]): void;
	close(facts?: { code?: number; status?: number; retryAfterMs?: number }): void;
}

export interface StageOptions {
	account?: Partial<Account>;
	/** What the service does by itself. By default it accepts connections and confirms subscriptions. */
	opens?: boolean;
	confirms?: boolean | ((topics: string[]) => Item);
	/** The error of the machine's clock when the process starts. */
	setByMs?: number;
	/** The most rows on a page of the service. */
	pageMax?: number;
	/** The stream of another build. */
	create?: typeof createStream;
}

export const ACCOUNT: Account = {
	environment: 'sandbox',
	baseUrl: 'http://127.0.0.1:4010/v1',
	wsUrl: 'ws://127.0.0.1:4010/v1/ws',
	apiKey: 'CANARY-key',
};

/** The stream on virtual time, with a service scripted by the test. */
export function openStage({
	account = {},
	opens = true,
	confirms = true,
	pageMax = 500,
	setByMs: wrongByMs = 0,
	create = createStream,
}: StageOptions = {}) {
	const time = virtualTime();
	const sockets: FakeSocket[] = [];
	const lists: Record<string, Item[]> = {};
	const reads: string[] = [];
	const requests: Item[] = [];
	const faults: Record<string, ExchangeError | undefined> = {};
	const settings = { ...ACCOUNT, ...account };
	let running = 0;
	let setByMs = wrongByMs;

	const openSocket: OpenSocket = (url, handlers) => {
		const socket: FakeSocket = {
			url,
			sent: [],
			isOpen: false,
			isTerminated: false,
			open: () => {
				if (socket.isTerminated) return;
				socket.isOpen = true;
				handlers.opened();
			},
			say: (message) => socket.sayText(JSON.stringify(message)),
			sayText: (text) => socket.sayTogether([text]),
			sayTogether: (texts) => void (socket.isTerminated || handlers.messages(texts)),
			close: (facts = {}) => {
				socket.isOpen = false;
				if (!socket.isTerminated) handlers.closed(facts);
			},
		};
		sockets.push(socket);
		if (opens) queueMicrotask(socket.open);
		return {
			send: (text) => {
				const message = JSON.parse(text) as Item;
				socket.sent.push(message);
				if (message.type !== 'subscribe' || confirms === false) return;
				const topics = message.topics as string[];
				queueMicrotask(() =>
					socket.say({ type: 'subscribed', topics, ...(typeof confirms === 'function' ? confirms(topics) : {}) }),
				);
			},
			terminate: () => void (socket.isTerminated = true),
		};
	};

	const client = {
		page: async (id: string, input: Item, _options?: { signal?: AbortSignal }): Promise<Item[]> => {
			reads.push(id);
			requests.push(input);
			await Promise.resolve();
			if (faults[id]) throw faults[id];
			const isAsked = ({ sequence, status }: Item) =>
				(input.after_sequence === undefined || Number(sequence) > Number(input.after_sequence)) &&
				(input.status === undefined || status === input.status);
			const offset = Number(input.offset ?? 0);
			const rows = (lists[id] ?? []).filter(isAsked);
			return rows.slice(offset, offset + Math.min(pageMax, Number(input.limit ?? pageMax)));
		},
		call: async (id: string, input: Item): Promise<Item> => {
			reads.push(id);
			requests.push(input);
			await Promise.resolve();
			if (faults[id]) throw faults[id];
			const match = lists[id]?.find((item) => item.id === (input.order_id ?? item.id));
			if (!match) throw new ExchangeError('not_found', { what: 'It is not there' });
			return match;
		},
		/** The date of its replies. */
		serviceTime: (): number | undefined => undefined,
	};

	const clock = {
		now: () => time.now() + setByMs,
		elapsed: time.elapsed,
		after: (delayMs: number, action: () => void) => {
			let isDone = false;
			running += 1;
			const done = () => {
				if (!isDone) running -= 1;
				isDone = true;
			};
			const cancel = time.after(delayMs, () => {
				done();
				action();
			});
			return () => {
				done();
				cancel();
			};
		},
	};
	const chance = random(1);
	const stream = create({
		account: settings,
		// Looked up at each read, so that a test can replace the service.
		client: {
			page: (id, input, options) => client.page(id, input, options),
			call: (id, input) => client.call(id, input),
			serviceTime: () => client.serviceTime(),
		},
		openSocket,
		clock,
		random: chance.next,
		newId: chance.uuid,
	});

	/** A consumer that records its events. */
	function consume(consumer: Partial<Consumer> & Pick<Consumer, 'topics'>) {
		const seen = {
			events: [] as StreamEvent[],
			notices: [] as StreamNotice[],
			positions: undefined as StoredCheckpoint | undefined,
			failed: undefined as Error | undefined,
			refused: undefined as Error | undefined,
		};
		const subscription = stream.subscribe({
			deliver: async (events) => void seen.events.push(...events),
			onCheckpoint: (positions) => (seen.positions = JSON.parse(JSON.stringify(positions)) as StoredCheckpoint),
			onNotice: (notice) => seen.notices.push(notice),
			onFailed: (error) => (seen.failed = error),
			onRefused: (error) => (seen.refused = error),
			...consumer,
		});
		return Object.assign(seen, { subscription, keys: () => seen.events.map(({ eventKey }) => eventKey) });
	}

	const allSettled = async (): Promise<void> => {
		for (let turn = 0; turn < 5; turn += 1) await settled();
	};

	return {
		time,
		sockets,
		lists,
		reads,
		requests,
		faults,
		stream,
		client,
		consume,
		timers: () => running,
		/** Sets the clock of the machine. */
		setClock: (byMs: number) => void (setByMs += byMs),
		pass: (ms: number) => time.run(time.now() + ms),
		settled: allSettled,
		/** Messages of the service on the first connection, until all that follows from them has happened. */
		say: async (...messages: object[]) => {
			for (const message of messages) sockets[0]!.say(message);
			await allSettled();
		},
	};
}

type Consume = ReturnType<typeof openStage>['consume'];

/** A stage with a consumer that is served. */
export async function follow(consumer: Parameters<Consume>[0], options?: Parameters<typeof openStage>[0]) {
	const stage = openStage(options);
	const seen = stage.consume(consumer);
	await seen.subscription.ready;
	return { ...stage, seen };
}

/** A data message. */
export const data = (topic: string, seq: unknown, payload: Item, epoch: unknown = 'e1'): Item => ({
	type: 'data',
	topic,
	seq,
	epoch,
	ts: '2026-01-05T09:00:00.000Z',
	data: payload,
});

export const order = (id: string, status: string, filled = '0', more: Item = {}): Item => ({
	id,
	status,
	filled_quantity: filled,
	quantity: '30',
	side: 'buy',
	pair_id: 'USD/NGN',
	created_at: '2026-01-05T09:00:00.000Z',
	...more,
});

export const fill = (id: string, orderId = 'order-1', quantity = '10'): Item => ({
	id,
	order_id: orderId,
	quantity,
	created_at: '2026-01-05T09:00:00.000Z',
});

export const trade = (sequence: number): Item => ({
	id: `trade-${sequence}`,
	sequence,
	price: '1500',
	quantity: '1',
	side: 'buy',
	created_at: '2026-01-05T09:00:00.000Z',
});
