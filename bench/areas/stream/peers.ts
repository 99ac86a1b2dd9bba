import WebSocket from 'ws';
import { stopwatch, type Contestant } from '../../area';
import { peer } from '../../peers';
import { SYMBOL, TOPIC } from './frames';

interface BinanceClient {
	on(event: string, listener: (message: { e?: string }) => void): void;
	subscribe(topics: string[], market: string): Promise<unknown>;
}

export const binance: Contestant = {
	title: 'binance (tiagosiebler)',
	peer: 'binance',
	beside: 'bareBinance',
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
			client.on('open', () => (end = stopwatch()));
			client.on('message', ({ e }) => {
				if (e === 'trade' && --left === 0) resolve(end(size));
			});
			void client.subscribe([`${SYMBOL.toLowerCase()}@trade`], 'main');
		}),
};

interface CentrifugeClient {
	newSubscription(channel: string): { on(event: string, listener: () => void): void; subscribe(): void };
	on(event: string, listener: () => void): void;
	connect(): void;
}

export const centrifuge: Contestant = {
	title: 'centrifuge',
	peer: 'centrifuge',
	beside: 'bareCentrifuge',
	note: 'a position per channel, no deduplication',
	run: (size, address) =>
		new Promise((resolve) => {
			const { Centrifuge } = peer<{ Centrifuge: new (url: string, options: object) => CentrifugeClient }>('centrifuge');
			const client = new Centrifuge(`ws://${address}/centrifuge`, { websocket: WebSocket });
			const subscription = client.newSubscription(TOPIC);
			let [end, left] = [stopwatch(), size];
			subscription.on('subscribed', () => (end = stopwatch()));
			subscription.on('publication', () => {
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
	beside: 'bareBinance',
	note: 'keeps a cache of trades and coalesces them; drops those nobody asked for in time',
	run: async (size, address) => {
		const { pro } = peer<{ pro: { binance: new (options: object) => CcxtExchange } }>('ccxt');
		const exchange = new pro.binance({ newUpdates: true, options: { tradesLimit: 1_000, fetchMarkets: ['spot'] } });
		exchange.urls.api.ws.spot = `ws://${address}/binance`;
		// Its word for the agent of every plain connection.
		await exchange.loadHttpProxyAgent();
		const market = { id: SYMBOL, symbol: 'BTC/USDT', base: 'BTC', quote: 'USDT', baseId: 'BTC', quoteId: 'USDT' };
		exchange.setMarkets([{ ...market, type: 'spot', spot: true, active: true, precision: {}, limits: {} }]);
		const end = stopwatch();
		for (;;) {
			const trades = await exchange.watchTrades('BTC/USDT');
			if (Number(trades.at(-1)?.id) === size) return end(size);
		}
	},
};
