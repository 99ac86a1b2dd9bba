/** Messages that Node-RED itself cannot read to the end, sent to every node of ours in a real Node-RED. */
import { WebSocket } from 'ws';
import { palette } from '../../packages/node-red/src/palette';
import { EVENTS_TYPE, ALERTS_TYPE } from '../../packages/node-red/src/types';
import { until } from '../support/condition';
import type { FlowNode } from '../support/node-red';
import { account, call, node, payloadOf, tab } from './flows';
import { openCommonBench } from './common-bench';
import { forAll } from '../support/opened';

/** What anybody may send to a `websocket in` node that passes on the entire message. */
const sent: readonly Record<string, unknown>[] = [
	{ hasOwnProperty: 1 },
	{ error: { hasOwnProperty: 1 } },
	{ error: { source: 1, hasOwnProperty: {} }, payload: { hasOwnProperty: 1 } },
	{ toString: 1, valueOf: 1, payload: { toString: 1, valueOf: 1 } },
	{ payload: null, parts: 5, topic: [], intentKey: {} },
	{ payload: [{ toString: 0 }], parts: { id: { toString: 0 }, index: { valueOf: 0 } }, _msgid: { toString: 0 } },
	{ action: { toString: 0 }, payload: { topics: { length: -1 }, pairs: [{ toString: 0 }] } },
	{ action: 'change', payload: { topics: 'nothing', hasOwnProperty: 1 }, hasOwnProperty: 1 },
	{ event: { eventKey: { toString: 0 } }, hasOwnProperty: 1 },
	{ event: [[{ eventKey: 'unknown' }]], error: { hasOwnProperty: 1 } },
	{ intentKey: { toString: 0 }, payload: { limit: { toString: 0 } }, hasOwnProperty: 'text' },
	{ constructor: 1, then: 1, toJSON: 1, payload: { constructor: 1, then: 1, toJSON: 1 } },
	{ req: 1, res: { hasOwnProperty: 1 }, payload: { limit: 1e400, constructor: { prototype: 1 } } },
];

/** What a Function node may make beside that: the text of an expression, evaluated there. */
const made: readonly string[] = [
	'Object.assign(Object.create(null), { payload: 1 })',
	'Object.assign(Object.create(null), { payload: Object.create(null), error: Object.create(null) })',
	'{ get payload() { throw new Error("payload") } }',
	'{ payload: { get limit() { throw new Error("limit") } } }',
	'{ payload: 1, get other() { throw new Error("other") } }',
	'{ payload: 1, get error() { throw new Error("error") } }',
	'{ get hasOwnProperty() { throw new Error("own") } }',
	'{ payload: new Proxy({}, { get() { throw new Error("get") } }) }',
	'{ payload: new Proxy({}, { ownKeys() { throw new Error("keys") }, has() { throw new Error("has") } }) }',
	'{ error: new Proxy({}, { get() { throw new Error("get") } }) }',
	'{ payload: (() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })() }',
	'new Proxy({}, { get: (of, name) => { if (name === "_msgid") return "proxy"; throw new Error("get"); } })',
	'new Proxy({ _msgid: "proxy" }, { ownKeys() { throw new Error("keys"); } })',
	'new Proxy({ a: 1 }, { getOwnPropertyDescriptor: (of, name) => { if (name === "a") throw new Error("a"); return Reflect.getOwnPropertyDescriptor(of, name); } })',
	'{ payload: { then(resolve, reject) { reject(1); } } }',
	'{ then(resolve, reject) { reject(1); }, payload: 1 }',
	'{ payload: { limit: Symbol("limit") }, intentKey: Symbol("key"), action: Symbol("action") }',
	'{ payload: 10n, parts: { id: 10n, index: 10n } }',
	'(() => { const one = { payload: 1 }; one.error = one; one.payload = one; return one; })()',
];

const types = [...palette.map(({ type }) => type), EVENTS_TYPE, ALERTS_TYPE];

/** One node of every type; the events node twice, once for each kind of message it takes. */
const ours = (): FlowNode[] => [
	...types.map((type) => ({ id: `is-${type}`, type, ...settings, control: true, topics: ['user.fills'] })),
	{ id: 'is-back', type: EVENTS_TYPE, ...settings, taken: 'back', topics: ['user.fills'] },
	{ id: 'is-without-account', type: types[0]!, ...settings, account: 'missing' },
];
const settings = { z: tab.id, account: 'account-one', keep: 'row', wires: [['end', 'other-end'], ['end']] };
const ids = (): string[] => ours().map(({ id }) => id);

describe('a flow that a Catch and a Complete node watch', () => {
	const bench = forAll(() => openCommonBench());
	const watchers: FlowNode[] = [
		{ id: 'caught', type: 'catch', z: tab.id, scope: null, uncaught: false, wires: [['end']] },
		{ id: 'completed', type: 'complete', z: tab.id, scope: ids(), wires: [['end']] },
	];
	const flows = (): FlowNode[] => [
		...[tab, account(bench.sandbox)],
		...ours(),
		...watchers,
		...node('plain', 'balances', {}, 1),
		...['end', 'other-end'].map((id) => ({ id, type: 'junction', z: tab.id, wires: [[]] })),
		{ id: 'path', type: 'websocket-listener', path: '/in', wholemsg: 'true' },
		{ id: 'outside', type: 'websocket in', z: tab.id, server: 'path', wires: [ids()] },
		{
			...{ id: 'maker', type: 'function', z: tab.id, outputs: ids().length, wires: ids().map((id) => [id]) },
			func: `const make = [${made.map((text) => `() => (${text})`).join(',')}][msg.payload];
				// One at a time and without a copy, because Node-RED would refuse to copy most of these.
				${JSON.stringify(ids())}.forEach((id, port) => node.send([...Array(port).fill(null), make()], false));`,
		},
	];

	beforeAll(async () => await bench.nodeRed.deploy(flows()));

	const runs = async (): Promise<void> => {
		const { nodeRed } = bench;
		expect(payloadOf(await call(nodeRed, 'plain'))).toBeDefined();
		expect(await nodeRed.api('/settings')).toMatchObject({ version: expect.any(String) });
	};
	/** Every node that takes messages has told Node-RED that it is done with each of them. */
	const completed = async (times: number): Promise<void> => {
		const takers = ids().filter((id) => id !== `is-${ALERTS_TYPE}`);
		const count = (id: string) => bench.nodeRed.completions.filter((entry) => entry.node === id).length;
		await until(() => takers.every((id) => count(id) >= times), {
			what: `each node to complete ${times} messages`,
			seen: () => ({ left: takers.filter((id) => count(id) < times), log: bench.nodeRed.log().slice(-2000) }),
		});
	};

	it('an action node goes on after whatever a websocket may bring', async () => {
		const { nodeRed } = bench;
		nodeRed.forget();
		const socket = new WebSocket(`${nodeRed.url.replace('http', 'ws')}/in`);
		await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
		for (const message of sent) socket.send(JSON.stringify(message));
		await completed(sent.length);
		socket.terminate();
		await runs();
	});

	it('an action node goes on after whatever a Function node may make', async () => {
		const { nodeRed } = bench;
		nodeRed.forget();
		for (const index of made.keys()) await nodeRed.send('maker', { payload: index });
		await completed(made.length);
		await runs();
	});
});
