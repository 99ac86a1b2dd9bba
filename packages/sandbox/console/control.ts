import type { Candle, OrderRecord, SandboxState, WholeRequest } from './state';

/** How long the page waits for an answer before it says that the sandbox is silent. */
const answerMsMax = 5_000;
/** Finished orders on a page. */
export const pageSize = 50;
/** Most candles drawn at once. */
const candlesMax = 300;

/** What to arm, where, and how often it is to happen. */
export interface FaultOrder {
	kind: string;
	operation?: string;
	route?: string;
	apiKey?: string;
	topic?: string;
	idempotencyKey?: string;
	after?: number;
	delayMs?: number;
	retryAfter?: string;
	times: number;
}

/** The sandbox's own routes under `/_sandbox/`: they need no key and no fault touches them. */
export const control = {
	state: (): Promise<SandboxState> => call('GET', 'state'),
	candles: (pair: string, interval: string): Promise<{ candles: Candle[] }> =>
		call('GET', `candles?pair_id=${encodeURIComponent(pair)}&interval=${interval}&limit=${candlesMax}`),
	arm: (fault: FaultOrder): Promise<unknown> => call('POST', 'faults', fault),
	disarm: (id: number): Promise<unknown> => call('DELETE', 'faults', { id }),
	start: (name: string, email: string): Promise<unknown> => call('POST', 'scenarios', { name, email }),
	stop: (name: string): Promise<unknown> => call('DELETE', 'scenarios', { name }),
	place: (order: object): Promise<unknown> => call('POST', 'orders', order),
	cancel: (order: object): Promise<unknown> => call('DELETE', 'orders', order),
	book: (movement: object): Promise<unknown> => call('POST', 'transactions', movement),
	settings: (settings: object): Promise<unknown> => call('POST', 'settings', settings),
	trading: (pair: string, trading: boolean): Promise<unknown> => call('POST', 'markets', { pair_id: pair, trading }),
	finished: (email: string, offset: number): Promise<{ orders: OrderRecord[]; count: number }> =>
		call('GET', `orders?email=${encodeURIComponent(email)}&offset=${offset}&limit=${pageSize}`),
	request: (id: number): Promise<{ requests: WholeRequest[] }> => call('GET', `requests?id=${id}`),
	reset: (): Promise<unknown> => call('POST', 'reset', {}),
	/** Answers at once; the state tells how far the clock has come. */
	advance: (ms: number): Promise<unknown> => call('POST', 'clock', { advance_ms: ms, wait: false }),
};

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
	const answer = await fetch(`/_sandbox/${path}`, {
		method,
		...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
		signal: AbortSignal.timeout(answerMsMax),
	}).catch(() => {
		throw new Error(`No answer from the sandbox at ${location.host}. Is it still running?`);
	});
	const read: unknown = await answer.json().catch(() => null);
	if (!answer.ok) throw new Error(refusal(read) ?? `The sandbox answered ${answer.status}.`);
	return read as Answer;
}

/** `{ error: { code, message } }`, whatever dialect the interface itself is set to. */
function refusal(body: unknown): string | undefined {
	const { error } = (body ?? {}) as { error?: { message?: unknown } };
	return typeof error?.message === 'string' ? error.message : undefined;
}
