import type { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'node:v8';
import type { Archive, Retired, WantedFills, WantedOrders } from '../engine/archive';
import type { Fill, Order } from '../engine/order';
import type { IdempotencyRecord } from '../engine/state';
import { sumOf } from './seal';

/** The archive as tables of the data file, written in the same transaction as the saved state. */
export interface ArchiveFile extends Archive {
	put(retired: Retired): void;
	clear(): void;
	/** Number of archived orders, fills and keys. */
	count(): number;
}

export const ARCHIVE_SCHEMA = `
	CREATE TABLE archived_orders (
		number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, account TEXT NOT NULL, pair TEXT NOT NULL, status TEXT NOT NULL,
		created_at INTEGER NOT NULL, record BLOB NOT NULL, sum INTEGER NOT NULL
	);
	CREATE INDEX archived_orders_listed ON archived_orders (account, number, status, pair, created_at);
	CREATE TABLE archived_fills (
		number INTEGER PRIMARY KEY, account TEXT NOT NULL, pair TEXT NOT NULL, order_id TEXT NOT NULL, record BLOB NOT NULL,
		sum INTEGER NOT NULL
	);
	CREATE INDEX archived_fills_listed ON archived_fills (account, number, pair);
	CREATE INDEX archived_fills_of_order ON archived_fills (order_id, number);
	CREATE TABLE archived_keys (
		account TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, record BLOB NOT NULL, sum INTEGER NOT NULL,
		PRIMARY KEY (account, key)
	) WITHOUT ROWID;
	CREATE INDEX archived_keys_expiring ON archived_keys (at);
`;

const LISTED = `account = $account AND ($status IS NULL OR status = $status) AND ($pair IS NULL OR pair = $pair)
	AND ($until IS NULL OR created_at <= $until)`;
const FILLED = 'account = $account AND ($pair IS NULL OR pair = $pair)';

/** `damaged` is called for a record with a wrong checksum, and throws. */
export function openArchiveFile(database: DatabaseSync, damaged: (what: string) => never): ArchiveFile {
	const prepare = (sql: string) => database.prepare(sql);
	const byId = prepare('SELECT number, record, sum FROM archived_orders WHERE id = ?');
	const byNumber = prepare('SELECT number, record, sum FROM archived_orders WHERE number = ?');
	const numbers = prepare(`SELECT number FROM archived_orders WHERE ${LISTED} ORDER BY number DESC LIMIT $max`);
	const orders = prepare(`SELECT COUNT(*) AS count FROM archived_orders WHERE ${LISTED}`);
	const byKey = prepare('SELECT record, sum FROM archived_keys WHERE account = ? AND key = ?');
	const fills = (columns: string, part: string) => ({
		all: prepare(`SELECT ${columns} FROM archived_fills WHERE ${FILLED} ${part}`),
		ofOrder: prepare(`SELECT ${columns} FROM archived_fills WHERE order_id = $order AND ${FILLED} ${part}`),
	});
	const fillList = fills('number, record, sum', 'ORDER BY number DESC LIMIT $max OFFSET $offset');
	const fillCount = fills('COUNT(*) AS count', '');

	function read<Record>(row: StoredRow | undefined, number = Number(row?.number)): Record | undefined {
		if (!row) return undefined;
		const bytes = row.record as Uint8Array;
		if (sumOf({ at: 0, bytes }, number, 0) !== row.sum) damaged('a finished order, fill or key');
		return deserialize(bytes) as Record;
	}
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
		orderAt: (number) => read<Order>(byNumber.get(number)) ?? damaged(`order ${number}`),
		orderNumbers: (accountId, filters, max) =>
			numbers.all({ ...parameters(accountId, filters), max }).map(({ number }) => Number(number)),
		countOrders: (accountId, filters) => countIn(orders.get(parameters(accountId, filters))),
		fills: (accountId, filters, part) =>
			fillList[filters.orderId === undefined ? 'all' : 'ofOrder']
				.all({ ...wanted(accountId, filters), ...part })
				.map((row) => read<Fill>(row) as Fill),
		countFills: (accountId, filters) =>
			countIn(fillCount[filters.orderId === undefined ? 'all' : 'ofOrder'].get(wanted(accountId, filters))),
		key: (accountId, key) => read<IdempotencyRecord>(byKey.get(accountId, key), 0),
		...writerOf(database),
	};
}

type StoredRow = Record<string, unknown>;

const countIn = (row: StoredRow | undefined): number => Number(row?.count ?? 0);

function writerOf(database: DatabaseSync): Pick<ArchiveFile, 'put' | 'clear' | 'count'> {
	const putOrder = database.prepare('INSERT INTO archived_orders VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
	const putFill = database.prepare('INSERT INTO archived_fills VALUES (?, ?, ?, ?, ?, ?)');
	const putKey = database.prepare('INSERT OR REPLACE INTO archived_keys VALUES (?, ?, ?, ?, ?)');
	const expire = database.prepare('DELETE FROM archived_keys WHERE at <= ?');
	const last = database.prepare('SELECT COALESCE(MAX(number), 0) AS count FROM archived_fills');
	const all = database.prepare(`SELECT (SELECT COUNT(*) FROM archived_orders) + (SELECT COUNT(*) FROM archived_fills)
		+ (SELECT COUNT(*) FROM archived_keys) AS count`);
	return {
		put({ orders, fills, keys, keysExpiredAt }) {
			expire.run(keysExpiredAt);
			for (const order of orders) {
				const { number, id, accountId, pairId, status, createdAt } = order;
				const { bytes, sum } = sealed(order, number);
				putOrder.run(number, id, accountId, pairId, status, createdAt, bytes, sum);
			}
			let number = countIn(last.get());
			for (const { accountId, fill } of fills) {
				const { bytes, sum } = sealed(fill, (number += 1));
				putFill.run(number, accountId, fill.pairId, fill.orderId, bytes, sum);
			}
			for (const { accountId, key, record } of keys) {
				const { bytes, sum } = sealed(record, 0);
				putKey.run(accountId, key, record.at, bytes, sum);
			}
		},
		clear: () => database.exec('DELETE FROM archived_orders; DELETE FROM archived_fills; DELETE FROM archived_keys'),
		count: () => countIn(all.get()),
	};
}

function sealed(record: object, number: number): { bytes: Uint8Array; sum: number } {
	const bytes = serialize(record);
	return { bytes, sum: sumOf({ at: 0, bytes }, number, 0) };
}
