import type { Account } from '../account';
import { isOrderWrite, routeOf, type Operation, type OperationId } from '../catalogue';
import type { HttpRequest } from '../ports';

/** Values ready for the wire, by the service's own field names. */
export type Accepted = Record<string, string | number | boolean | object>;

const REQUEST_TIMEOUT_MS = 15_000;

/** The bytes of one call. Pure, so that every attempt of an intent can be the same request, byte for byte. */
export function buildRequest(id: OperationId, operation: Operation, accepted: Accepted, account: Account): HttpRequest {
	const [method, template] = routeOf(operation)!.split(' ') as [string, string];
	const { body: free, ...fields } = accepted;
	const placed = new Set<string>();
	const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
		placed.add(name);
		return encodeURIComponent(String(fields[name]));
	});
	const rest = Object.entries(fields)
		.filter(([name]) => !placed.has(name))
		.map(([name, value]) => [wireName(id, name, account), value] as const);
	const reads = method === 'GET' || method === 'DELETE';
	const query =
		reads && rest.length > 0 ? `?${new URLSearchParams(rest.map(([name, value]) => [name, String(value)]))}` : '';
	const body = reads ? undefined : JSON.stringify({ ...Object.fromEntries(rest), ...(free as object | undefined) });
	return {
		method,
		url: `${account.baseUrl}${path}${query}`,
		headers: headersOf(operation, account, fields.idempotency_key, body),
		body,
		timeoutMs: REQUEST_TIMEOUT_MS,
	};
}

/** The account may rename inputs whose name on the wire the interface does not show. */
const wireName = (id: OperationId, name: string, account: Account): string => account.names?.[`${id}.${name}`] ?? name;

/** Routes without a key carry none, whatever the account holds. (Interface, part 5.) */
function headersOf(
	operation: Operation,
	account: Account,
	idempotencyKey: unknown,
	body: string | undefined,
): Record<string, string> {
	return {
		accept: 'application/json',
		...(body === undefined ? {} : { 'content-type': 'application/json' }),
		...(operation.access === 'public' ? {} : { 'x-api-key': account.apiKey }),
		...(isOrderWrite(operation) ? { 'idempotency-key': String(idempotencyKey) } : {}),
	};
}
