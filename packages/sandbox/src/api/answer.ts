import { type Refusal, type RefusalKind } from '../engine/refusal';
import type { Dialect } from './dialect';

/** HTTP responses in the chosen dialect. */
export interface Response {
	status: number;
	headers: Record<string, string>;
	body: string;
}

/** The result of a route handler. */
export interface Answer {
	data: unknown;
	created?: boolean;
	deleted?: boolean;
}

const json = { 'content-type': 'application/json; charset=utf-8' };
const RETRY_AFTER_SECONDS = 1;

export function success({ data, created, deleted }: Answer, dialect: Dialect): Response {
	if (deleted && dialect.deleted === 'empty') return { status: 204, headers: {}, body: '' };
	const body = deleted && dialect.deleted === 'null' ? null : data;
	return {
		status: created ? Number(dialect.created) : 200,
		headers: json,
		body: JSON.stringify({ data: body, status: 'success' }),
	};
}

const statuses: Record<Exclude<RefusalKind, 'invalid' | 'not_found'>, number> = {
	unauthorized: 401,
	forbidden: 403,
	unavailable: 403,
	conflict: 409,
	rate_limited: 429,
	method_not_allowed: 405,
	unsupported_media_type: 415,
	too_large: 413,
};

function statusOf({ kind, code }: Refusal, dialect: Dialect): number {
	if (kind === 'invalid') return Number(dialect.validation);
	if (kind === 'not_found')
		return code === 'unknown_route' || code === 'unknown_account' ? 404 : Number(dialect.unknown);
	return statuses[kind];
}

export function refusal(error: Refusal, dialect: Dialect): Response {
	const headers: Record<string, string> = { ...json };
	if (error.kind === 'rate_limited' && dialect.retry_after === 'told')
		headers['retry-after'] = String(RETRY_AFTER_SECONDS);
	if (dialect.errors === 'text') headers['content-type'] = 'text/plain; charset=utf-8';
	return { status: statusOf(error, dialect), headers, body: errorBody(error, dialect) };
}

function errorBody({ code, message }: Refusal, dialect: Dialect): string {
	switch (dialect.errors) {
		case 'nested':
			return JSON.stringify({ error: { code, message } });
		case 'message':
			return JSON.stringify({ code, message });
		case 'list':
			return JSON.stringify({ errors: [{ code, message }] });
		case 'text':
			return message;
		case 'empty':
			return '';
	}
}
