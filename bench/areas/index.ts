import type { Area } from '../area';
import { byKeys, byPages, bySubscribers, byTopics } from './growth';
import { n8nAction, n8nActionFarAway, n8nTrigger, nodeRedEvents, nodeRedReads } from './hosts';
import { load } from './load';
import { orders, rest, restEach } from './rest';
import { delivery, durable, finished, matching, start } from './sandbox';
import { dropped, privateTopics, stream } from './stream';

export const areas: Readonly<Record<string, Area>> = {
	stream,
	dropped,
	private: privateTopics,
	rest,
	'rest-each': restEach,
	orders,
	matching,
	durable,
	delivery,
	start,
	finished,
	'n8n-trigger': n8nTrigger,
	'n8n-action': n8nAction,
	'n8n-action-far': n8nActionFarAway,
	'node-red-events': nodeRedEvents,
	'node-red-reads': nodeRedReads,
	load,
	topics: byTopics,
	subscribers: bySubscribers,
	keys: byKeys,
	pages: byPages,
};
