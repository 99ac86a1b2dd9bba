import type { Account } from '../account';
import { operationOf, routeOf, type OperationId } from '../catalogue';
import { TransportError, type OpenSocket, type Ports } from '../ports';
import { excerpt } from '../redaction';
import { firstOf, isItem, itemsIn, type Item } from '../wire/payload';
import { parseBody } from '../wire/response';

/** The service under test, called without the steps of the client, because its raw answers are what is checked. */
export interface Service {
	account: Account;
	ports: Ports;
	openSocket: OpenSocket;
	/** One request; status 0 where no reply came. */
	ask(id: OperationId, options?: ProbeOptions): Promise<Reply>;
	facts: Facts;
	/** Reads the facts again, after something was written. */
	learn(): Promise<void>;
}

export interface ProbeOptions {
	/** Parts of the path. */
	params?: Readonly<Record<string, string>>;
	/** The query of a GET or DELETE, or the body of any other request. */
	fields?: Readonly<Record<string, string>>;
}

export interface Reply {
	status: number;
	/** The content of the envelope, or the whole body without one. */
	data: unknown;
	/** The answer, in short and without the key. */
	text: string;
}

/** What has to be known to ask: taken from what the service itself lists. */
interface Facts {
	pairId?: string;
	orderId?: string;
	transactionId?: string;
}

/** An answer that takes longer counts as missing, because a person waits for the check. */
const TIMEOUT_MS = 15_000;
/** A report quotes at most this many characters of an answer, which may be a whole page. */
const TEXT_MAX = 160;

/** The records of a list, wherever the answer has them. */
export const recordsIn = (id: OperationId, { data }: Reply): Item[] => itemsIn(data, operationOf(id).list?.at);

export async function openService(account: Account, ports: Ports, openSocket: OpenSocket): Promise<Service> {
	const service: Service = { account, ports, openSocket, facts: {}, ask, learn };
	function ask(id: OperationId, { params = {}, fields = {} }: ProbeOptions = {}): Promise<Reply> {
		return sendProbe(account, ports, id, { params: { ...pathParts(service.facts), ...params }, fields });
	}
	const first = async (id: OperationId, names: string[]) => {
		const [record] = recordsIn(id, await ask(id));
		return record && firstOf(record, names);
	};
	async function learn(): Promise<void> {
		service.facts.pairId = await first('market.list', ['pair_id', 'id', 'symbol', 'pair', 'name']);
		service.facts.orderId = await first('order.list', ['id', 'order_id']);
		service.facts.transactionId = await first('transaction.list', ['id', 'transaction_id']);
	}
	await learn();
	return service;
}

const pathParts = ({ pairId = '', orderId = '', transactionId = '' }: Facts) => ({
	pair_id: pairId,
	order_id: orderId,
	transaction_id: transactionId,
});

async function sendProbe(
	account: Account,
	ports: Ports,
	id: OperationId,
	options: Required<ProbeOptions>,
): Promise<Reply> {
	const operation = operationOf(id);
	const [method, template] = (routeOf(operation) ?? '').split(' ') as [string, string];
	const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(options.params[name] ?? ''));
	const reads = method === 'GET' || method === 'DELETE';
	const query = new URLSearchParams(reads ? options.fields : {}).toString();
	try {
		const response = await ports.send({
			method,
			url: `${account.baseUrl}${path}${query && `?${query}`}`,
			headers: {
				accept: 'application/json',
				...(operation.access === 'public' ? {} : { 'x-api-key': account.apiKey }),
				...(reads ? {} : { 'content-type': 'application/json' }),
			},
			...(reads ? {} : { body: JSON.stringify(options.fields) }),
			timeoutMs: TIMEOUT_MS,
		});
		const body = parseBody(response.body);
		const data = isItem(body) && body.data !== undefined ? body.data : body;
		return { status: response.status, data, text: shorten(response.body, account.apiKey) };
	} catch (error) {
		const reason = error instanceof TransportError ? error.reason : 'failed';
		return { status: 0, data: undefined, text: `no answer (${reason})` };
	}
}

const shorten = (text: string, key: string): string => excerpt(text, key).slice(0, TEXT_MAX);

/** How the report describes a reply that is no success. */
export const replyText = ({ status, text }: Reply): string => (status === 0 ? text : `${status}: ${text || 'no text'}`);
