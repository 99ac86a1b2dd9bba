import type { Account } from '../account';
import { controlOf, isOrderWrite, routeOf, wantedOf, type Field, type Operation, type OperationId } from '../catalogue';
import { LIST_BYTES_MAX, type HttpRequest } from '../ports';

/** Values ready for the wire, by the service's own field names. */
export type Accepted = Record<string, string | number | boolean | object>;

/** A request without an answer within this time counts as not answered, so that its caller does not wait for ever. */
const REQUEST_TIMEOUT_MS = 15_000;

/** The bytes of one call. Pure, so that every attempt of an intent can be the same request, byte for byte. */
export function buildRequest(id: OperationId, operation: Operation, accepted: Accepted, account: Account): HttpRequest {
	const control = controlOf(operation);
	if (control) return controlRequest(control, accepted, account);
	const [method, template] = routeOf(operation)!.split(' ') as [string, string];
	let path = template;
	const rest: Accepted = {};
	for (const name of Object.keys(accepted)) {
		const placeholder = `{${name}}`;
		if (template.includes(placeholder))
			path = path.replace(placeholder, () => encodeURIComponent(String(accepted[name])));
		else {
			const sent = onWire(operation.input[name], accepted[name]!);
			if (sent !== undefined) rest[wireName(id, name, account)] = sent;
		}
	}
	const reads = method === 'GET' || method === 'DELETE';
	const query = reads ? queryOf(rest) : '';
	const body = reads ? undefined : JSON.stringify(rest);
	return {
		method,
		url: `${account.baseUrl}${path}${query}`,
		headers: headersOf(operation, account, accepted.idempotency_key, body),
		body,
		timeoutMs: REQUEST_TIMEOUT_MS,
		...(operation.list ? { bytesMax: LIST_BYTES_MAX } : {}),
	};
}

/** A filter of the service takes one value, so one that asks for several is left to the client. */
function onWire(field: Field | undefined, value: Accepted[string]): Accepted[string] | undefined {
	if (field?.kind !== 'choices') return value;
	const wanted = wantedOf(field, value);
	return wanted.length === 1 ? String(wanted[0]) : undefined;
}

function queryOf(rest: Accepted): string {
	const pairs = Object.entries(rest).map(([name, value]) => [name, String(value)]);
	return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : '';
}

/** Moving the sandbox clock by a day takes seconds, and the answer comes at the end. */
const CONTROL_TIMEOUT_MS = 60_000;

/** The control is at the root of the sandbox, takes only JSON, and is authorized by its token instead of an API key. */
function controlRequest(control: string, accepted: Accepted, { baseUrl, controlToken }: Account): HttpRequest {
	const [method, path] = control.split(' ') as [string, string];
	const body = method === 'GET' ? undefined : JSON.stringify(accepted);
	return {
		method,
		url: new URL(path, baseUrl).href,
		headers: {
			accept: 'application/json',
			...(body === undefined ? {} : { 'content-type': 'application/json' }),
			...(controlToken ? { authorization: `Bearer ${controlToken}` } : {}),
		},
		body,
		timeoutMs: CONTROL_TIMEOUT_MS,
	};
}

/** The wire name of an input. The account may map names that the interface does not show. */
const wireName = (id: OperationId, name: string, account: Account): string => account.names?.[`${id}.${name}`] ?? name;

/** Public routes carry no key, even when the account has one. (Interface, part 5.) */
function headersOf(
	operation: Operation,
	account: Account,
	idempotencyKey: unknown,
	body: string | undefined,
): Record<string, string> {
	const headers: Record<string, string> = { accept: 'application/json' };
	if (body !== undefined) headers['content-type'] = 'application/json';
	if (operation.access !== 'public') headers['x-api-key'] = account.apiKey;
	if (isOrderWrite(operation)) headers['idempotency-key'] = String(idempotencyKey);
	return headers;
}
