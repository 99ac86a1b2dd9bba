import WebSocket from 'ws';
import { stopwatch, type Contestant } from '../../area';
import { peer } from '../../peers';
import { HISTORY, inOrder, SYMBOL } from './frames';
import { begin } from './server';

const CHANNEL = 'trades.USD_NGN';
/** Until the subscription of a client that does not tell of its confirmation has arrived. */
const SUBSCRIBED_MS = 500;

interface BinanceClient {
	on(event: string, listener: (message: { e?: string; result?: unknown }) => void): void;
	subscribe(topics: string[], market: string): Promise<unknown>;
}

export const binance: Contestant = {
	title: 'binance (tiagosiebler)',
	peer: 'binance',
	note: 'no deduplication, no backfill, no position',
	run: (size, address) =>
		new Promise((resolve) => {
			const { WebsocketClient } = peer<{ WebsocketClient: new (options: object, logger: object) => BinanceClient }>(
				'binance',
			);
			const nothing = (): void => undefined;
			const logger = { trace: nothing, info: nothing, error: nothing };
			const client = new WebsocketClient({ wsUrl: `ws://${address}/binance` }, logger);
			let [end, left] = [stopwatch(), size];
			const check = inOrder('binance');
			client.on('message', (message) => {
				if (message.e !== 'trade') return;
				check(SYMBOL, message);
				if (--left === 0) resolve(end(size));
			});
			void client.subscribe([`${SYMBOL.toLowerCase()}@trade`], 'main');
			setTimeout(() => void begin(address, 'binance', size).then(() => (end = stopwatch())), SUBSCRIBED_MS);
		}),
};

interface CentrifugeClient {
	newSubscription(channel: string): {
		on(event: string, listener: (context: { data: unknown }) => void): void;
		subscribe(): void;
	};
	on(event: string, listener: () => void): void;
	connect(): void;
}

export const centrifuge: Contestant = {
	title: 'centrifuge',
	peer: 'centrifuge',
	note: 'a position per channel, no deduplication',
	run: (size, address) =>
		new Promise((resolve) => {
			const { Centrifuge } = peer<{ Centrifuge: new (url: string, options: object) => CentrifugeClient }>('centrifuge');
			const client = new Centrifuge(`ws://${address}/centrifuge`, { websocket: WebSocket });
			const subscription = client.newSubscription(CHANNEL);
			let [end, left] = [stopwatch(), size];
			const check = inOrder('centrifuge');
			subscription.on('subscribed', () => {
				void begin(address, 'centrifuge', size).then(() => (end = stopwatch()));
			});
			subscription.on('publication', ({ data }) => {
				check(CHANNEL, data);
				if (--left === 0) resolve(end(size));
			});
			subscription.subscribe();
			client.connect();
		}),
};

interface CcxtExchange {
	urls: { api: { ws: Record<string, string> } };
	setMarkets(markets: object[]): void;
	loadHttpProxyAgent(): Promise<unknown>;
	watchTrades(symbol: string): Promise<{ id: string }[]>;
}

export const ccxt: Contestant = {
	title: 'ccxt.pro',
	peer: 'ccxt',
	note: 'keeps a cache of trades and coalesces them; drops those nobody asked for in time',
	run: async (size, address) => {
		const { pro } = peer<{ pro: { binance: new (options: object) => CcxtExchange } }>('ccxt');
		const exchange = new pro.binance({ newUpdates: true, options: { tradesLimit: 1_000, fetchMarkets: ['spot'] } });
		exchange.urls.api.ws.spot = `ws://${address}/binance`;
		// The library's word for the agent of every plain connection.
		await exchange.loadHttpProxyAgent();
		const market = { id: SYMBOL, symbol: 'BTC/USDT', base: 'BTC', quote: 'USDT', baseId: 'BTC', quoteId: 'USDT' };
		exchange.setMarkets([{ ...market, type: 'spot', spot: true, active: true, precision: {}, limits: {} }]);
		let next = exchange.watchTrades('BTC/USDT');
		await new Promise((resolve) => setTimeout(resolve, SUBSCRIBED_MS));
		await begin(address, 'binance', size);
		const end = stopwatch();
		for (; ; next = exchange.watchTrades('BTC/USDT')) {
			const trades = await next;
			if (Number(trades.at(-1)?.id) === HISTORY + size) return end(size);
		}
	},
};
