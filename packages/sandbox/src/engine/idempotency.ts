import { conflict } from './refusal';
import type { Account, State } from './state';

/** Keys remembered per account; the oldest go first. */
const KEYS_KEPT_MAX = 100_000;

/** One namespace per account: a REST header, a command's key and a request_id standing in for it all meet here. */
export interface IdempotencyRecord {
	fingerprint: string;
	/** What was answered, and is answered again. */
	answer: object;
	at: number;
}

/** The stored answer of a repeated write. Another body under the same key is refused. */
export function recall(state: State, account: Account, key: string, fingerprint: string): object | undefined {
	const record = account.idempotency.get(key);
	if (!record || record.at + state.settings.keyRetentionMs <= state.now) return undefined;
	if (record.fingerprint !== fingerprint) {
		throw conflict(
			'idempotency_key_reused',
			'This idempotency key was used for another request. Read the order it made, or use a new key.',
		);
	}
	return record.answer;
}

export function remember(state: State, account: Account, key: string, record: Omit<IdempotencyRecord, 'at'>): void {
	account.idempotency.delete(key);
	account.idempotency.set(key, { ...record, at: state.now });
	for (const [oldest, { at }] of account.idempotency) {
		const expired = at + state.settings.keyRetentionMs <= state.now;
		if (!expired && account.idempotency.size <= KEYS_KEPT_MAX) break;
		account.idempotency.delete(oldest);
	}
}

/** The same for any order of fields and any spacing; absent and null are the same. */
export function fingerprintOf(action: string, fields: Record<string, unknown>): string {
	return `${action} ${canonical(fields)}`;
}

function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (value === null || typeof value !== 'object') return JSON.stringify(value);
	const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
	fields.sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
