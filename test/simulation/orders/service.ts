import { createExchange, type Exchange, type Request } from '../../../packages/sandbox/src/api/exchange';
import type { Response } from '../../../packages/sandbox/src/api/answer';
import type { Order } from '../../../packages/sandbox/src/engine/order';
import type { VirtualTime } from '../support/time';
import type { Weather } from './weather';

export const FIRST_KEY = 'CANARY-first-key';
export const SECOND_KEY = 'CANARY-second-key';
const ACCOUNT = 'trader';
export const FIRST_ADDRESS = 'http://127.0.0.1:4010/v1';
/** Where another service has accounts of its own. */
export const SECOND_ADDRESS = 'http://127.0.0.1:4020/v1';

/** The real sandbox exchange on virtual time, with access to the true state that no client has. */
export interface Service {
	exchange: Exchange;
	handle(request: Request): Response;
	/** Sends one command on a separate connection; returns the service's reply. */
	command(key: string, message: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined;
	orders(): Order[];
	rotateKey(): void;
	/** Ends all delays: lists show everything at once and no response is slow. */
	heal(): void;
}

export function openService(seed: number, weather: Weather, time: VirtualTime): Service {
	const exchange: Exchange = createExchange({
		seed,
		now: time.now(),
		keys: [{ key: FIRST_KEY }],
		settings: {
			listLagMs: weather.listLagMs,
			keyRetentionMs: weather.keyRetentionMs,
			orderDelayMs: weather.orderDelayMs,
		},
		clock: { now: () => time.now(), wakeAt: () => undefined },
	});
	return {
		exchange,
		handle: (request) => exchange.handle(request),
		command: (key, message) => {
			const said: string[] = [];
			try {
				const session = exchange.connect({ send: (text) => void said.push(text) }, key);
				session.receive(JSON.stringify({ type: 'command', ...message }));
				session.close();
			} catch {
				return undefined;
			}
			return said
				.map((text) => JSON.parse(text) as Record<string, unknown>)
				.find(({ request_id }) => request_id === message.request_id);
		},
		orders: () => {
			exchange.catchUp();
			return exchange.engine.state.accounts.get(ACCOUNT)!.orders.map((id) => exchange.engine.state.orders.get(id)!);
		},
		rotateKey: () => {
			exchange.apply({ kind: 'key', grant: { key: FIRST_KEY, active: false } });
			exchange.apply({ kind: 'key', grant: { key: SECOND_KEY } });
		},
		heal: () => void exchange.apply({ kind: 'settings', settings: { listLagMs: 0, orderDelayMs: 5 } }),
	};
}
