/**
 * Registers all nodes: the account, one node per palette entry of the catalogue, the events node and the alerts node.
 */
import type { NodeAPI } from 'node-red';
import { registerAccount } from './account/account';
import { registerAction } from './action/action';
import { watchCompletions } from './delivery/completions';
import { watchDeploys } from './host/deploys';
import { registerEvents } from './events/events';
import { watchOrphanFiles } from './checkpoints/orphan-files';
import { palette } from './palette';
import { registerRoutes } from './account/routes';
import { registerAlerts } from './events/alerts';

export = (RED: NodeAPI): void => {
	registerAccount(RED);
	registerRoutes(RED);
	const deploys = watchDeploys(RED.events);
	const completions = watchCompletions(RED);
	registerEvents(RED, deploys, completions);
	registerAlerts(RED, deploys, completions);
	watchOrphanFiles(RED);
	for (const node of palette) registerAction(RED, node, deploys);
};
