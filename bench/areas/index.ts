import type { Area } from '../area';
import { byKeys, byPages, bySubscribers } from './growth';
import { n8nAction, n8nActionFarAway, n8nTrigger, nodeRedEvents, nodeRedReads } from './hosts';
import { load } from './load';
import { orders, ordersEach, rest, restEach } from './rest';
import { delivery, durable, finished, matching, start } from './sandbox';
import { peers, quiet, stream } from './stream';
import { memory, triggers } from './triggers';

export const areas: Readonly<Record<string, Area>> = {
	stream,
	quiet,
	peers,
	triggers,
	held: memory,
	orders,
	'orders-each': ordersEach,
	rest,
	'rest-each': restEach,
	'n8n-trigger': n8nTrigger,
	'n8n-action': n8nAction,
	'n8n-action-far': n8nActionFarAway,
	'node-red-events': nodeRedEvents,
	'node-red-reads': nodeRedReads,
	load,
	subscribers: bySubscribers,
	keys: byKeys,
	pages: byPages,
	matching,
	durable,
	delivery,
	start,
	finished,
};
