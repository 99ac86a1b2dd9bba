import { hash } from 'node:crypto';
import { HISTORY_MAX } from './order-life';
import { conflict } from './refusal';
import type { Account, IdempotencyRecord } from './state';
import type { World } from './world';

/** Returns the stored answer of a repeated write; refuses the same key with another body. */
export function storedAnswer({ state }: World, account: Account, key: string, fingerprint: string): object | undefined {
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

export function storeAnswer(
	{ state }: World,
	account: Account,
	key: string,
	record: Omit<IdempotencyRecord, 'at'>,
): void {
	account.idempotency.delete(key);
	account.idempotency.set(key, { ...record, at: state.now });
	for (const [oldest, { at }] of account.idempotency) {
		const expired = at + state.settings.keyRetentionMs <= state.now;
		if (!expired && account.idempotency.size <= HISTORY_MAX) break;
		account.idempotency.delete(oldest);
	}
}

/** A digest of a body, independent of field order and white space; an absent field equals null. */
export function fingerprintOf(action: string, fields: Record<string, unknown>): string {
	return hash('sha256', `${action} ${canonical(fields)}`, 'base64url');
}

function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (value === null || typeof value !== 'object') return JSON.stringify(value);
	const fields = Object.entries(value).filter(([, field]) => field !== null && field !== undefined);
	fields.sort(([a], [b]) => (a < b ? -1 : 1));
	return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
