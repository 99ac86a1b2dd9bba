import type { Area } from '../../area';
import { inMemory, onDisk, read } from './ours';
import { axios, ccxt, fetched, nodeHttp, stripe, undici, undiciSynced } from './peers';
import { serveRest } from './server';

const AT_ONCE = 50;

const reads = (atOnce: number) =>
	({
		unit: 'reads',
		judged: 'cpu',
		smoke: 50,
		baseline: 'undici',
		serve: serveRest,
		contestants: {
			undici: undici('read', atOnce),
			read: read(atOnce),
			nodeHttp: nodeHttp('read', atOnce),
			axios: axios('read', atOnce),
			fetched: fetched('read', atOnce),
			ccxt: ccxt(atOnce),
			stripe: stripe(atOnce),
		},
	}) satisfies Partial<Area>;

export const rest: Area = {
	...reads(AT_ONCE),
	title: 'REST, 50 at a time',
	about:
		'One order read by its id, 50 reads at a time, against a server that answers at once with what it has ready: a whole call of our client, through its public door, beside whole calls of others, none of which signs anything.',
	size: 10_000,
	targets: [
		{ of: 'read', over: 'undici', atLeast: 0.75 },
		{ of: 'read', over: 'ccxt', atLeast: 1.2 },
		{ of: 'read', over: 'stripe', atLeast: 1.4 },
		{ of: 'read', over: 'axios', atLeast: 2.7 },
	],
};

export const restEach: Area = {
	...reads(1),
	size: 10_000,
	title: 'REST, one at a time',
	about: 'The same, one read after the other.',
};

const placing = (atOnce: number) =>
	({
		unit: 'orders',
		judged: 'cpu',
		smoke: 50,
		baseline: 'undici',
		serve: serveRest,
		contestants: {
			undici: undici('place', atOnce),
			nodeHttp: nodeHttp('place', atOnce),
			axios: axios('place', atOnce),
			memory: inMemory(atOnce),
			disk: onDisk(atOnce),
		},
	}) satisfies Partial<Area>;

const fiftyOrders = placing(AT_ONCE);
export const orders: Area = {
	...fiftyOrders,
	title: 'Orders placed once, 50 at a time',
	about:
		'The price of certainty, beside a bare POST of the same order: inputs checked, an identity of its own, the machine that settles what a lost reply leaves open, and a journal that is written before the request goes out.',
	size: 5_000,
	targets: [
		{ of: 'memory', over: 'undici', atLeast: 0.6 },
		{ of: 'disk', over: 'undici', atLeast: 0.6 },
	],
};

const oneOrder = placing(1);
export const ordersEach: Area = {
	...oneOrder,
	title: 'Orders placed once, one at a time',
	about: 'The same, one order after the other, as the flow of a person places them.',
	size: 2_000,
	contestants: {
		...oneOrder.contestants,
		synced: undiciSynced(1),
		disk: { ...oneOrder.contestants.disk, felt: 'An order, written to the disk before it is sent' },
	},
	targets: [
		{ of: 'memory', over: 'undici', atLeast: 0.75 },
		{ of: 'disk', over: 'undici', atLeast: 0.4 },
		{ of: 'disk', over: 'synced', atLeast: 0.75 },
	],
};
