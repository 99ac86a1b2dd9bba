/** The notices output of an events node, for what is no event. */
import type { Settings } from './types';
import type { HostNode } from './host-node';

/** Sends a notice, if the node has an output for them. */
export function notify({ node, settings }: { node: HostNode; settings: Settings }, payload: object): void {
	if (settings.notices === true) node.send([null, { topic: 'notice', payload }]);
}
