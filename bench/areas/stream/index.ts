import type { Area, Contestant } from '../../area';
import { bare, builtIn, byHand } from './bare';
import { PAIRS } from './frames';
import { ours, wsAlone } from './ours';
import { binance, ccxt, centrifuge } from './peers';
import { serveStreams } from './server';

/** What is measured is how it runs, for it runs for years; how it begins is told beside it. */
const SIZE = 1_000_000;
const SMOKE = 200;
const SUBSCRIBERS = 100;
const PER_SECOND = 1_000;

const common = { unit: 'messages', judged: 'cpu', smoke: SMOKE, serve: serveStreams } as const;

/** Only what comes first, while the compiler of the engine still learns what is done. */
const firstFifth = ({ title, run }: Contestant): Contestant => ({
	title: `${title}, the first fifth`,
	run: (size, address) => run(Math.ceil(size / 5), address),
});

/** What somebody would do at least, ours beside it, and both at their beginning. */
const pair = (name: string, plain: Contestant, own: Contestant): Record<string, Contestant> => ({
	[`${name}Bare`]: { ...plain, beside: `${name}Bare` },
	[name]: { ...own, beside: `${name}Bare` },
	[`${name}BareFirst`]: { ...firstFifth(plain), beside: `${name}BareFirst` },
	[`${name}First`]: { ...firstFifth(own), beside: `${name}BareFirst` },
});

const hundred = { feed: 'trades', subscribers: SUBSCRIBERS } as const;

export const stream: Area = {
	...common,
	title: 'Events of an account',
	about: `Messages of about 290 bytes from a server that framed them beforehand, on an account with a key, whose lists answer and lag two seconds behind. Whoever gets an event checks that each comes once and in order. Ours parses, recognises, filters, keeps a checkpoint and hands over up to 1,000 at a time. Where ${SUBSCRIBERS} want each event, each of them counts; ${PAIRS} topics have a consumer each.`,
	size: SIZE,
	baseline: 'tradesBare',
	contestants: {
		...pair('trades', bare('ws and JSON.parse, trades', { feed: 'trades' }), ours('ours, trades', { feed: 'trades' })),
		...pair('fills', bare('ws and JSON.parse, fills', { feed: 'fills' }), ours('ours, fills', { feed: 'fills' })),
		...pair('orders', bare('ws and JSON.parse, orders', { feed: 'orders' }), ours('ours, orders', { feed: 'orders' })),
		...pair(
			'pairs',
			bare(`ws and JSON.parse, ${PAIRS} topics`, { feed: 'pairs' }),
			ours(`ours, ${PAIRS} topics`, { feed: 'pairs' }),
		),
		...pair(
			'crowd',
			bare(`ws and JSON.parse, ${SUBSCRIBERS} calls for each`, hundred),
			ours(`ours, ${SUBSCRIBERS} consumers`, hundred),
		),
	},
	targets: [
		{ of: 'trades', over: 'tradesBare', atLeast: 0.8 },
		{ of: 'tradesFirst', over: 'tradesBareFirst', atLeast: 0.7 },
		{ of: 'fillsFirst', over: 'fillsBareFirst', atLeast: 0.6 },
		{ of: 'ordersFirst', over: 'ordersBareFirst', atLeast: 0.6 },
		{ of: 'pairsFirst', over: 'pairsBareFirst', atLeast: 0.65 },
		{ of: 'crowd', over: 'crowdBare', atLeast: 0.5 },
	],
};

export const quiet: Area = {
	...common,
	title: 'Events, each alone',
	about: `The same account at ${PER_SECOND.toLocaleString('en')} messages a second, each of which arrives alone. The latency is from the moment the server sends a message to the moment the consumer has it.`,
	size: 4_000,
	baseline: 'tradesBare',
	contestants: {
		tradesBare: bare('ws and JSON.parse, trades', { feed: 'trades', perSecond: PER_SECOND }),
		trades: ours('ours, trades', { feed: 'trades', perSecond: PER_SECOND }),
		fills: {
			...ours('ours, fills', { feed: 'fills', perSecond: PER_SECOND }),
			felt: 'An event: a fill, until your code has it',
		},
	},
	targets: [{ of: 'trades', over: 'tradesBare', atLeast: 0.75 }],
};

export const peers: Area = {
	...common,
	title: 'Events, beside other clients',
	about:
		'Trades as above, beside the clients of other services. Each reads messages of its own protocol, as long as ours, and hands over trades that are checked alike.',
	size: SIZE / 5,
	baseline: 'bare',
	contestants: {
		bare: bare('ws and JSON.parse', { feed: 'trades' }),
		byHand,
		ours: ours('ours', { feed: 'trades' }),
		oursEach: ours('ours, one at a time', { feed: 'trades', batchMax: 1 }),
		oursByWs: {
			...ours('ours, where ws reads every message', { feed: 'trades', openSocket: wsAlone }),
			note: 'what the reader of text messages saves',
		},
		oursSpaced: {
			...ours('ours, where the payload comes first and with spaces', { feed: 'spaced' }),
			note: 'what the reader of data messages saves',
		},
		builtIn,
		binance,
		ccxt,
		centrifuge,
	},
	targets: [
		{ of: 'ours', over: 'binance', atLeast: 1 },
		{ of: 'ours', over: 'centrifuge', atLeast: 1.4 },
		{ of: 'ours', over: 'ccxt', atLeast: 3.5 },
	],
};
