import type { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import type { Archive, Retired, WantedFills, WantedOrders } from '../engine/archive';
import type { Fill, Order } from '../engine/order';
import type { IdempotencyRecord } from '../engine/state';

/** The archive as tables of the data file, written in the same transaction as the saved state. */
export interface ArchiveFile extends Archive {
	put(retired: Retired): void;
	clear(): void;
}

export const ARCHIVE_SCHEMA = `
	CREATE TABLE archived_orders (
		number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, account TEXT NOT NULL, pair TEXT NOT NULL, status TEXT NOT NULL,
		created_at INTEGER NOT NULL, record BLOB NOT NULL
	);
	CREATE INDEX archived_orders_listed ON archived_orders (account, number, status, pair, created_at);
	CREATE TABLE archived_fills (
		number INTEGER PRIMARY KEY, account TEXT NOT NULL, pair TEXT NOT NULL, order_id TEXT NOT NULL, record BLOB NOT NULL
	);
	CREATE INDEX archived_fills_listed ON archived_fills (account, number, pair);
	CREATE INDEX archived_fills_of_order ON archived_fills (order_id, number);
	CREATE TABLE archived_keys (
		account TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, record BLOB NOT NULL,
		PRIMARY KEY (account, key)
	) WITHOUT ROWID;
	CREATE INDEX archived_keys_expiring ON archived_keys (at);
`;

const LISTED = `account = $account AND ($status IS NULL OR status = $status) AND ($pair IS NULL OR pair = $pair)
	AND ($until IS NULL OR created_at <= $until)`;
const FILLED = 'account = $account AND ($pair IS NULL OR pair = $pair)';

export function openArchiveFile(database: DatabaseSync): ArchiveFile {
	const prepare = (sql: string) => database.prepare(sql);
	const byId = prepare('SELECT record FROM archived_orders WHERE id = ?');
	const byNumber = prepare('SELECT record FROM archived_orders WHERE number = ?');
	const numbers = prepare(`SELECT number FROM archived_orders WHERE ${LISTED} ORDER BY number DESC LIMIT $max`);
	const orders = prepare(`SELECT COUNT(*) AS count FROM archived_orders WHERE ${LISTED}`);
	const byKey = prepare('SELECT record FROM archived_keys WHERE account = ? AND key = ?');
	const fills = (columns: string, part: string) => ({
		all: prepare(`SELECT ${columns} FROM archived_fills WHERE ${FILLED} ${part}`),
		ofOrder: prepare(`SELECT ${columns} FROM archived_fills WHERE order_id = $order AND ${FILLED} ${part}`),
	});
	const fillList = fills('record', 'ORDER BY number DESC LIMIT $max OFFSET $offset');
	const fillCount = fills('COUNT(*) AS count', '');

	const parameters = (accountId: string, { status, pairId, until }: WantedOrders) => ({
		account: accountId,
		status: status ?? null,
		pair: pairId ?? null,
		until: until ?? null,
	});
	const wanted = (accountId: string, { pairId, orderId }: WantedFills) => ({
		account: accountId,
		pair: pairId ?? null,
		...(orderId === undefined ? {} : { order: orderId }),
	});
	return {
		keeps: true,
		order: (id) => read<Order>(byId.get(id)),
		orderAt: (number) => read<Order>(byNumber.get(number))!,
		orderNumbers: (accountId, filters, max) =>
			numbers.all({ ...parameters(accountId, filters), max }).map(({ number }) => Number(number)),
		countOrders: (accountId, filters) => countIn(orders.get(parameters(accountId, filters))),
		fills: (accountId, filters, part) =>
			fillList[filters.orderId === undefined ? 'all' : 'ofOrder']
				.all({ ...wanted(accountId, filters), ...part })
				.map((row) => read<Fill>(row)!),
		countFills: (accountId, filters) =>
			countIn(fillCount[filters.orderId === undefined ? 'all' : 'ofOrder'].get(wanted(accountId, filters))),
		key: (accountId, key) => read<IdempotencyRecord>(byKey.get(accountId, key)),
		...writerOf(database),
	};
}

type StoredRow = Record<string, unknown>;

const read = <Stored>(row: StoredRow | undefined): Stored | undefined =>
	row && (deserialize(row.record as Uint8Array) as Stored);

const countIn = (row: StoredRow | undefined): number => Number(row?.count ?? 0);

function writerOf(database: DatabaseSync): Pick<ArchiveFile, 'put' | 'clear'> {
	const putOrder = database.prepare('INSERT INTO archived_orders VALUES (?, ?, ?, ?, ?, ?, ?)');
	const putFill = database.prepare('INSERT INTO archived_fills VALUES (?, ?, ?, ?, ?)');
	const putKey = database.prepare('INSERT OR REPLACE INTO archived_keys VALUES (?, ?, ?, ?)');
	const expire = database.prepare('DELETE FROM archived_keys WHERE at <= ?');
	const last = database.prepare('SELECT COALESCE(MAX(number), 0) AS count FROM archived_fills');
	return {
		put({ orders, fills, keys, keysExpiredAt }) {
			expire.run(keysExpiredAt);
			for (const order of orders) {
				const { number, id, accountId, pairId, status, createdAt } = order;
				putOrder.run(number, id, accountId, pairId, status, createdAt, serialize(order));
			}
			let number = countIn(last.get());
			for (const { accountId, fill } of fills) {
				putFill.run((number += 1), accountId, fill.pairId, fill.orderId, serialize(fill));
			}
			for (const { accountId, key, record } of keys) {
				putKey.run(accountId, key, record.at, serialize(record));
			}
		},
		clear: () => database.exec('DELETE FROM archived_orders; DELETE FROM archived_fills; DELETE FROM archived_keys'),
	};
}
