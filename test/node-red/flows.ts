/** Flows for the tests: an account of the sandbox, nodes whose outputs end in junctions, and one call of a node. */
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import {
	startNodeRed,
	type Completion,
	type FlowNode,
	type TestNodeRed,
	type TestOptions,
	type Wire,
} from '../support/node-red';
import { until } from '../support/condition';

export const packageFolder = join(__dirname, '../../packages/node-red');
export const KEY = 'sandbox-key';
/** The status of a listening node that is connected; `disconnected` contains the same letters. */
export const CONNECTED = /\bconnected/;

export interface Bench {
	sandbox: Sandbox;
	nodeRed: TestNodeRed;
	close: () => Promise<void>;
}

export async function openBench(
	sandboxOptions: Parameters<typeof startSandbox>[0] = {},
	options: TestOptions = {},
): Promise<Bench> {
	const sandbox = await startSandbox({ seed: 7, ...sandboxOptions });
	const nodeRed = await startNodeRed({ packages: [packageFolder], ...options }).catch(async (error) => {
		await sandbox.close();
		throw error;
	});
	const close = async (): Promise<void> => {
		await nodeRed.stop();
		await sandbox.close();
	};
	return { sandbox, nodeRed, close };
}

export const account = (
	{ baseUrl, wsUrl }: Pick<Sandbox, 'baseUrl' | 'wsUrl'>,
	more: Record<string, unknown> = {},
): FlowNode => ({
	id: 'account-one',
	type: 'partner-exchange-account',
	...{ name: '', environment: 'sandbox', baseUrl, wsUrl, credentials: { apiKey: KEY } },
	...more,
});

export const tab: FlowNode = { id: 'tab-one', type: 'tab', label: 'Tests' };

/** One of our nodes by its palette name, with every output wired to a junction. */
export function node(id: string, palette: string, settings: Record<string, unknown> = {}, outputs = 2): FlowNode[] {
	const ends = Array.from({ length: outputs }, (_, port) => `${id}-end-${port}`);
	return [
		{
			id,
			type: `partner-exchange-${palette}`,
			z: tab.id,
			account: 'account-one',
			...settings,
			wires: ends.map((end) => [end]),
		},
		...ends.map((end) => ({ id: end, type: 'junction', z: tab.id, wires: [[]] })),
	];
}

export interface Result {
	/** The messages the node sent for this input, by output. */
	wires: Wire[];
	error?: Completion['error'];
}

let calls = 0;

/** Sends one message to a node and waits until the node completes it. */
export async function call(nodeRed: TestNodeRed, id: string, message: Record<string, unknown> = {}): Promise<Result> {
	const mark = `call-${(calls += 1)}`;
	await nodeRed.send(id, { ...message, mark });
	const completed = await until(() => nodeRed.completions.find((done) => done.node === id && done.mark === mark), {
		what: `node "${id}" to complete`,
		seen: () => ({ statuses: nodeRed.statuses.slice(-3), log: nodeRed.log().slice(-1500) }),
	});
	return {
		wires: nodeRed.messages.filter(({ from, message: sent }) => from === id && sent.mark === mark),
		...(completed.error ? { error: completed.error } : {}),
	};
}

/** The payload of the one message sent on the first output. */
export function payloadOf<T = Record<string, unknown>>({ wires, error }: Result): T {
	if (error) throw new Error(`The node failed: ${error.code} ${error.message}`);
	expect(wires.map(({ port }) => port)).toEqual([0]);
	return wires[0]!.message.payload as T;
}
