import type { Area, Contestant } from '../../area';
import { bare, builtIn, byHand } from './bare';
import { ours, wsAlone } from './ours';
import { binance, ccxt, centrifuge } from './peers';
import { serveStreams } from './server';

/** What is measured is how it runs, for it runs for years; how it begins stands beside it. */
const SIZE = 1_000_000;
const SMOKE = 200;

/** Only what comes first, while the compiler of the engine still learns what is done. */
const firstFifth = ({ title, run }: Contestant): Contestant => ({
	title: `${title}: the first fifth`,
	run: (size, address) => run(Math.ceil(size / 5), address),
});
const bareTrades = bare('ws and JSON.parse', 'trades');
const oursTrades = ours('ours, 1,000 at a time', { feed: 'trades' });

export const stream: Area = {
	title: 'Stream',
	about:
		'Public trades of about 290 bytes from a server that framed them beforehand. Ours parses, checks the position, deduplicates, filters, keeps a checkpoint and hands over in batches. Peers read the messages of their own protocol, so each stands beside ws and JSON.parse on those same messages.',
	unit: 'messages',
	judged: 'cpu',
	size: SIZE,
	smoke: SMOKE,
	baseline: 'bare',
	serve: serveStreams,
	contestants: {
		bare: bareTrades,
		byHand,
		ours: oursTrades,
		bareFirst: firstFifth(bareTrades),
		oursFirst: { ...firstFifth(oursTrades), beside: 'bareFirst' },
		oursByWs: {
			...ours('ours, where ws reads every message', { feed: 'trades', openSocket: wsAlone }),
			note: 'what the reader of text messages saves',
		},
		oursEach: ours('ours, one at a time', { feed: 'trades', batchMax: 1 }),
		builtIn,
		bareBinance: bare('ws and JSON.parse, messages of binance', 'binance'),
		binance,
		ccxt,
		bareCentrifuge: bare('ws and JSON.parse, messages of centrifuge', 'centrifuge'),
		centrifuge,
	},
	targets: [
		{ of: 'ours', over: 'bare', atLeast: 0.85 },
		{ of: 'ours', over: 'binance', atLeast: 1.15 },
		{ of: 'ours', over: 'centrifuge', atLeast: 1.5 },
		{ of: 'ours', over: 'ccxt', atLeast: 4 },
	],
};

export const dropped: Area = {
	title: 'Messages that are dropped',
	about:
		'Every message comes twice, or every second one is of a topic nobody asked for. Ours tells from the head of a message that nobody needs it.',
	unit: 'messages',
	judged: 'cpu',
	size: SIZE,
	smoke: SMOKE,
	baseline: 'bare',
	serve: serveStreams,
	contestants: {
		bare: bare('ws and JSON.parse, every message twice', 'twice'),
		twice: ours('ours, every message twice', { feed: 'twice', messagesPerEvent: 2 }),
		bareForeign: bare('ws and JSON.parse, every second message foreign', 'foreign'),
		foreign: {
			...ours('ours, every second message foreign', { feed: 'foreign', messagesPerEvent: 2 }),
			beside: 'bareForeign',
		},
	},
};

export const privateTopics: Area = {
	title: 'Private topics',
	about: 'Changes of orders and fills of one account, with the lists of the service read beside the stream.',
	unit: 'messages',
	judged: 'cpu',
	size: SIZE,
	smoke: SMOKE,
	baseline: 'bareFills',
	serve: serveStreams,
	contestants: {
		bareFills: bare('ws and JSON.parse, fills', 'fills'),
		fills: ours('ours, fills', { feed: 'fills', topic: 'user.fills' }),
		bareOrders: bare('ws and JSON.parse, orders', 'orders'),
		orders: { ...ours('ours, orders', { feed: 'orders', topic: 'user.orders' }), beside: 'bareOrders' },
	},
};
