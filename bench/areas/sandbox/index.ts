import type { Area } from '../../area';
import { durability } from './durable';
import { engines } from './engines';
import { fanOut } from './fan-out';
import { finishing } from './finished';
import { prepareFile, starts } from './start';

export const matching: Area = {
	title: 'Matching',
	about: 'A book 10,000 orders deep, then limits near the touch, market orders and cancels, the same for each.',
	unit: 'operations',
	judged: 'cpu',
	size: 1_000_000,
	smoke: 500,
	baseline: 'peer',
	contestants: engines,
	targets: [{ of: 'matching', over: 'peer', atLeast: 5 }],
};

export const durable: Area = {
	title: 'Sandbox, orders over HTTP',
	about:
		'Orders from another process, 50 at a time. Durable means that an answer goes out only when what it says is on the disk; everything that arrives while the disk is busy is written together. Judged by time on the clock, because waiting for the disk is what durability costs.',
	unit: 'orders',
	judged: 'time',
	size: 10_000,
	smoke: 100,
	baseline: 'memory',
	contestants: durability,
	targets: [{ of: 'durable', over: 'memory', atLeast: 0.8 }],
};

export const delivery: Area = {
	title: 'Sandbox, one event to 100 clients',
	about:
		'Changes of an order book to 100 stream clients in another process, counted where they arrive. Ours takes the orders that cause them, over HTTP and 50 at a time, and the other has its events ready.',
	unit: 'events',
	judged: 'cpu',
	size: 5_000,
	smoke: 40,
	baseline: 'each',
	contestants: fanOut,
	targets: [{ of: 'sandbox', over: 'each', atLeast: 5 }],
};

export const start: Area = {
	title: 'Sandbox, start',
	about:
		'From the call to the first request it would answer, on a new file and on one that was left by a kill after so many orders. Judged by processor time, which is what a start takes on a machine with nothing else to do; the disk is read within it.',
	unit: 'orders behind it',
	judged: 'cpu',
	size: 200_000,
	smoke: 500,
	baseline: 'empty',
	serve: prepareFile,
	contestants: starts,
	limits: [{ of: 'full', ms: 2_500 }],
};

const FINISHED = [10_000, 40_000, 80_000];

export const finished: Area = {
	title: 'Growth: finished orders',
	about:
		'Orders that fill each other in a sandbox with a data file, and the memory it holds after them. The latest 20,000 are kept. Warm: 10,000 others were finished in another sandbox before.',
	unit: 'runs',
	judged: 'cpu',
	size: 1,
	smoke: 2,
	curve: 'finished orders',
	baseline: 'at10000',
	contestants: Object.fromEntries(FINISHED.map((count) => [`at${count}`, finishing(count)])),
};
