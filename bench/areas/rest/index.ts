import type { Area } from '../../area';
import { create, journaled, port, read } from './ours';
import { axios, binance, ccxt, fetched, nodeHttp, stripe, undici } from './peers';
import { serveRest } from './server';

const AT_ONCE = 50;

const area = (atOnce: number): Omit<Area, 'title' | 'about' | 'targets'> => ({
	unit: 'calls',
	judged: 'cpu',
	size: 10_000,
	smoke: 50,
	baseline: 'axios',
	serve: serveRest,
	contestants: {
		axios: axios(atOnce),
		port: port(atOnce),
		read: read(atOnce),
		undici: undici(atOnce),
		nodeHttp: nodeHttp(atOnce),
		fetched: fetched(atOnce),
		ccxt: ccxt(atOnce),
		stripe: stripe(atOnce),
		binance: binance(atOnce),
	},
});

export const rest: Area = {
	...area(AT_ONCE),
	title: 'REST, 50 at a time',
	about: 'An order placed over HTTP, 50 calls at a time, against a server that answers at once with what it has ready.',
	targets: [
		{ of: 'port', over: 'axios', atLeast: 2.5 },
		{ of: 'port', over: 'undici', atLeast: 0.65 },
		{ of: 'port', over: 'ccxt', atLeast: 1.2 },
		{ of: 'port', over: 'stripe', atLeast: 1.2 },
	],
};

export const restEach: Area = {
	...area(1),
	size: 3_000,
	title: 'REST, one at a time',
	about: 'The same, one call after the other.',
};

export const orders: Area = {
	title: 'Orders placed once',
	about:
		'The price of certainty: the same request through our HTTP alone, then with inputs checked, an identity of its own, the machine that settles what a lost reply leaves open, and a journal on disk that is written before the request goes out. 50 at a time.',
	unit: 'orders',
	judged: 'cpu',
	size: 5_000,
	smoke: 50,
	baseline: 'port',
	serve: serveRest,
	contestants: { port: port(AT_ONCE), create: create(AT_ONCE), journaled: journaled(AT_ONCE) },
	targets: [{ of: 'journaled', over: 'port', atLeast: 1 / 1.3, says: 'at most 1.3x the processor time' }],
};
