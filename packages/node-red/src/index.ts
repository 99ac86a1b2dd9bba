/**
 * Registers all nodes: the account, one node per palette entry of the catalogue, the events node and the wallet node.
 */
import type { NodeAPI } from 'node-red';
import { registerAccount } from './account';
import { registerAction } from './action';
import { watchCompletions } from './completions';
import { watchDeploys } from './deploys';
import { registerEvents } from './events';
import { watchOrphanFiles } from './orphan-files';
import { palette } from './palette';
import { registerRoutes } from './routes';
import { registerWalletEvents } from './wallet-events';

export = (RED: NodeAPI): void => {
	registerAccount(RED);
	registerRoutes(RED);
	const deploys = watchDeploys(RED.events);
	const completions = watchCompletions(RED);
	registerEvents(RED, deploys, completions);
	registerWalletEvents(RED, deploys, completions);
	watchOrphanFiles(RED);
	for (const node of palette) registerAction(RED, node);
};
