/**
 * The account of a listening node. A deploy of modified nodes creates a changed account again, and the nodes that name
 * it. Node-RED does not notice a node that names it by a variable of its tab or subflow, so such a node gets the new
 * account here.
 */
import { inBackground } from '@partner-exchange/core/adapters';
import type { Deploys } from '../host/deploys';
import type { Hosted } from '../host/host-node';
import { accountNamed, type Opened } from './account';

export interface User extends Hosted {
	deploys: Deploys;
}

/** Ends what was begun with an account; `removed` says that its node is gone for good. */
type Leave = (removed: boolean) => Promise<unknown> | void;

/** Begins with the account of a node, and begins again where a deploy has changed it. Ends with the node. */
export function useAccount({ RED, node, settings, deploys }: User, begin: (opened: Opened) => Leave): void {
	const named = (): Opened => accountNamed(RED, settings.account);
	let opened = named();
	let leave = begin(opened);
	let last: Promise<unknown> = Promise.resolve();
	let isClosed = false;
	async function renew(): Promise<void> {
		const next = named();
		if (isClosed || factsOf(next) === factsOf(opened)) return;
		opened = next;
		await leave(false);
		// The node was closed meanwhile, and leaves by itself.
		if (!isClosed) leave = begin(next);
	}
	const stop = deploys.onStarted(node, () => {
		last = last.then(renew).catch(() => undefined);
		inBackground(last);
	});
	node.onClose(async (removed) => {
		stop();
		isClosed = true;
		await last;
		await leave(removed);
	});
}

/**
 * A deploy may create an unchanged account again. The subscription then goes on, so that events in a flow are not sent
 * again.
 */
const factsOf = (opened: Opened): string =>
	JSON.stringify('problem' in opened ? opened.problem.message : opened.account);
