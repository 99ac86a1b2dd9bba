/** A wallet service in memory: a list of transactions by page, single reads, and what the test lets fail. */
import { ExchangeError, pollTransactions, type Item, type TransactionEvent } from '@partner-exchange/core';

export const NOW = Date.UTC(2026, 0, 15);
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A transaction created at a time, or without one. */
export const row = (id: string | number, at?: number, status = 'completed', more: Item = {}): Item => ({
	...{ id: String(id), status, currency: 'NGN', rail: 'bank' },
	...(at === undefined ? {} : { created_at: new Date(at).toISOString() }),
	...more,
});

/** Rows with these numbers, one each ten seconds up to now, the newest first. */
export const rowsUntilNow = (count: number, status?: string): Item[] =>
	Array.from({ length: count }, (_, index) => row(`r${count - index}`, NOW - index * 10 * SECOND_MS, status));

export const failure = (code: 'unavailable' | 'rate_limited' | 'not_found' | 'refused' | 'unauthorized' | 'timeout') =>
	new ExchangeError(code, { what: `It failed as ${code}` });

export interface WalletService {
	list: Item[];
	now: number;
	/** Answers to reads of one transaction; the rest is not found. */
	single: Record<string, Item | Error>;
	/** What a page from this offset on fails with. */
	failsFrom: { offset: number; error: Error } | undefined;
	/** How often a page is asked for again that failed for a moment. */
	retries: Set<unknown>;
	/** Whether the list is filtered by status when asked to. */
	filters: boolean;
	pages: number;
	reads: string[];
	said: string[];
	poll(filters?: object): Promise<TransactionEvent[]>;
	/** The rows as keys, which say in this service when a transaction was created; left out here. */
	told(filters?: object): Promise<string[]>;
	state: unknown;
	/** Whether the last poll learned something that has to be stored. */
	learned: boolean;
}

export function openWallet(list: Item[] = [], now = NOW): WalletService {
	const wallet: WalletService = {
		...{ list, now, single: {}, failsFrom: undefined, retries: new Set(), filters: true, pages: 0 },
		...{ reads: [], said: [], state: undefined, learned: false },
		poll: async (filters = {}) => {
			const warn = (text: string): void => void wallet.said.push(text);
			const { events, state, learned } = await pollTransactions(client, wallet.state, filters, { warn });
			// Storage returns a different object with the same content.
			wallet.state = JSON.parse(JSON.stringify(state)) as unknown;
			wallet.learned = learned;
			return events;
		},
		told: async (filters) =>
			(await wallet.poll(filters)).map(({ eventKey }) => eventKey.split(':').toSpliced(3, 1).slice(1).join(':')),
	};
	const client = {
		now: () => wallet.now,
		page: async (_id: string, { offset = 0, status }: Item, context: { retries?: number } = {}): Promise<Item[]> => {
			await Promise.resolve();
			wallet.pages += 1;
			wallet.retries.add(context.retries);
			const { failsFrom } = wallet;
			if (failsFrom && Number(offset) >= failsFrom.offset) throw failsFrom.error;
			const rows =
				wallet.filters && status !== undefined ? wallet.list.filter((each) => each.status === status) : wallet.list;
			return rows.slice(Number(offset), Number(offset) + 100);
		},
		call: async (_id: string, { transaction_id: id }: Item) => {
			await Promise.resolve();
			wallet.reads.push(String(id));
			const answer = wallet.single[String(id)] ?? failure('not_found');
			if (answer instanceof Error) throw answer;
			return answer;
		},
	};
	return wallet;
}
