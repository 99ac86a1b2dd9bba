import { deserialize, serialize } from 'node:v8';
import type { Action } from '../engine/actions';
import type { State, StateView } from '../engine/state';
import { openJournalFile, type Contents, type JournalFile } from './journal-file';
import { StorageError } from './storage-error';
import { deflateSync, inflateSync } from 'node:zlib';
import { bookOf, emptyBook } from '../engine/book';
import { isResting } from '../engine/order-life';
import type { Order } from '../engine/order';

/**
 * Makes the exchange durable: a saved state, and the timed actions since then. The engine is deterministic, so
 * replaying the same actions at the same times restores everything else.
 */
export interface Journal {
	/** What the file held when it was opened; undefined for a new one. */
	saved: Saved | undefined;
	/** Buffers an action until the commit at the end of this turn of the event loop. */
	record(at: number, action: Action): void;
	/** Records that scheduled steps ran up to this time. */
	progress(at: number): void;
	/** Calls back once all earlier records are on disk. */
	afterCommit(release: () => void): void;
	/** Replaces saved state and actions by this state. */
	save(state: StateView): void;
	close(): void;
	/** Closes the file without changing it. */
	abandon(): void;
}

export interface Saved {
	state: State;
	actions: { at: number; action: Action }[];
	/** The latest time up to which a client may have seen effects of scheduled steps. */
	progressedTo: number;
}

interface JournalOptions {
	file: string;
	/** The current state, saved when the number of actions reaches the limit. */
	state(): StateView;
	/** Called when the disk fails; pending responses are then never sent. */
	failed(error: Error): void;
}

/** After this many actions the state is saved again, which bounds the time of a start. */
const ACTIONS_MAX = 20_000;

/** @throws StorageError where the file cannot be read. */
export function openJournal(options: JournalOptions): Journal {
	const { file, saved } = opened(options.file);
	let waiting: { at: number; action: Action }[] = [];
	let progressedTo: number | undefined;
	let releases: (() => void)[] = [];
	let scheduled = false;
	let count = saved?.actions.length ?? 0;

	function dirty() {
		if (scheduled) return;
		scheduled = true;
		setImmediate(commit);
	}
	/** Writes everything that arrived in this turn in one transaction, so that the disk is synced once. */
	function commit() {
		if (!scheduled) return;
		scheduled = false;
		const [actions, ready, time] = [waiting, releases, progressedTo];
		[waiting, releases, progressedTo] = [[], [], undefined];
		try {
			file.append(
				actions.map(({ at, action }) => ({ at, bytes: serialize(action) })),
				time,
			);
		} catch (error) {
			return options.failed(new StorageError(options.file, error as Error));
		}
		for (const release of ready) release();
		count += actions.length;
		if (count > ACTIONS_MAX) save(options.state());
	}
	function save(state: StateView) {
		try {
			file.save(writeState(state), state.now);
		} catch (error) {
			return options.failed(new StorageError(options.file, error as Error));
		}
		count = 0;
	}
	return {
		saved,
		record(at, action) {
			waiting.push({ at, action });
			dirty();
		},
		progress(at) {
			progressedTo = at;
			dirty();
		},
		afterCommit(release) {
			if (scheduled) releases.push(release);
			else release();
		},
		save,
		abandon() {
			scheduled = false;
			file.close();
		},
		close() {
			commit();
			save(options.state());
			file.close();
		},
	};
}

function opened(path: string): { file: JournalFile; saved: Saved | undefined } {
	let file: JournalFile | undefined;
	try {
		file = openJournalFile(path);
		const contents = file.load();
		return { file, saved: contents && savedIn(contents) };
	} catch (error) {
		file?.close();
		throw new StorageError(path, error as Error);
	}
}

const savedIn = ({ state, rows, progressedTo }: Contents): Saved => ({
	state: readState(state),
	actions: rows.map(({ at, bytes }) => ({ at, action: deserialize(bytes) as Action })),
	progressedTo,
});

/** What is stored of a state. The fields of orders are named once; what follows from the orders is left empty. */
interface Stored {
	state: Omit<State, 'orders'>;
	fields: string[];
	rows: unknown[][];
}

/** Most of the bytes are orders that look alike, so the fastest level takes most of what there is to gain. */
const LEVEL = 1;

/** A state as bytes of the data file. */
export function writeState({ orders, accounts, markets, ...rest }: StateView): Uint8Array {
	const all = [...orders.values()];
	const fields = Object.keys(all[0] ?? {}) as (keyof Order)[];
	const stored = {
		state: {
			...rest,
			accounts: new Map([...accounts].map(([id, account]) => [id, { ...account, orders: [] }])),
			markets: new Map([...markets].map(([id, market]) => [id, { ...market, book: emptyBook(market.book.sequence) }])),
		},
		fields,
		rows: all.map((order) => fields.map((name) => order[name])),
	};
	return deflateSync(serialize(stored), { level: LEVEL });
}

export function readState(bytes: Uint8Array): State {
	const { state, fields, rows } = deserialize(inflateSync(bytes)) as Stored;
	const blank = blankOf(fields);
	const orders = rows.map((row) => orderOf(blank, row));
	const resting = new Map([...state.markets.keys()].map((pairId) => [pairId, [] as Order[]]));
	for (const order of orders) {
		const account = state.accounts.get(order.accountId);
		if (account && !account.internal) account.orders.push(order.id);
		if (isResting(order)) resting.get(order.pairId)?.push(order);
	}
	for (const [pairId, market] of state.markets) market.book = bookOf(resting.get(pairId) ?? [], market.book.sequence);
	return { ...state, orders: new Map(orders.map((order) => [order.id, order])) };
}

/**
 * An object that gets its twenty fields one by one becomes a hash table, of twice the size. Parsed as a whole it has the
 * compact layout, and so do its copies.
 */
function orderOf(blank: object, row: readonly unknown[]): Order {
	const order: Record<string, unknown> = { ...blank };
	let index = 0;
	for (const name in blank) order[name] = row[index++];
	return order as unknown as Order;
}

const blankOf = (fields: readonly string[]): object =>
	JSON.parse(JSON.stringify(Object.fromEntries(fields.map((name) => [name, null])))) as object;
