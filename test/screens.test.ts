import type { Node, NodeAPI } from 'node-red';
import { log } from '../nodes/shared/host/log';
import { createHostNode } from '../packages/node-red/src/host/host-node';
import type { Settings } from '../packages/node-red/src/host/types';

/** What a service may say: it turns the line, has no width, steers a terminal, or ends the line. */
const SAID = 'order \u202e1234\u200b\u001b[2J\nfilled';
const SHOWN = 'order  1234 [2J filled';

describe('what a service says reaches a screen without what makes it read as something else', () => {
	it("shows it so in n8n's log", () => {
		const lines: string[] = [];
		const host = { getNode: () => ({ name: 'Orders' }), logger: { warn: (text: string) => void lines.push(text) } };
		log(host, SAID);
		expect(lines).toEqual([`Orders: ${SHOWN}`]);
	});

	it("shows it so in Node-RED's log and below its nodes", () => {
		const shown: unknown[] = [];
		const self = { warn: (text: string) => shown.push(text), status: (status: unknown) => shown.push(status) };
		const RED = { nodes: { createNode: () => undefined } } as unknown as NodeAPI;
		const node = createHostNode(RED, self as unknown as Node, {} as Settings);
		node.warn(SAID);
		node.status({ fill: 'green', shape: 'dot', text: SAID });
		node.status({});
		expect(shown).toEqual([SHOWN, { fill: 'green', shape: 'dot', text: SHOWN }, {}]);
	});
});
