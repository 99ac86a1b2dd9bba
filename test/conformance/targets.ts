/** The implementations under conformance test, other than bare sockets. */
import { createClient, createStream, type Stream } from '@partner-exchange/core';
import {
	isOrderWrite,
	nameParts,
	operationIds,
	operationOf,
	type Operation,
	type OperationId,
} from '@partner-exchange/core/catalogue';
import { nodePorts } from '@partner-exchange/core/node';
import type { Sandbox } from '@partner-exchange/sandbox';
import type { INodeParameters } from 'n8n-workflow';
import { isOpen } from '../../nodes/shared/form/form';
import { places } from '../../nodes/shared/form/names';
import { run as runNode } from '../n8n/exchange';
import { account, call, node, packageFolder, payloadOf, tab } from '../node-red/flows';
import { startNodeRed } from '../support/node-red';
import type { Target } from './operations';

/** Items requested from a list. */
const LIMIT = 20;

export function clientTarget({ baseUrl, wsUrl }: Sandbox): Promise<Target> {
	const ports = nodePorts();
	const account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' } as const;
	let stream: Stream | undefined;
	const client = createClient(account, ports, {
		commands: () => (stream ??= createStream({ ...ports, account: client.account, client })),
	});
	return Promise.resolve({
		run: async (id, input) => {
			if (!operationOf(id).list) return await client.call(id, input);
			const items = [];
			for await (const item of client.items(id, input, { limit: LIMIT })) items.push(item);
			return items;
		},
		close: async () => await stream?.close(),
	});
}

export function n8nTarget(sandbox: Sandbox): Promise<Target> {
	return Promise.resolve({
		run: async (id, input) => {
			const made = await runNode(sandbox, parametersOf(id, input));
			if (made.error) throw new Error(`${id}: ${made.error.message} ${String(made.error.description)}`);
			const items = made.items.map(({ json }) => json);
			return operationOf(id).list ? items : items[0];
		},
		close: async () => undefined,
	});
}

/** An input as parameters of the n8n node. */
export function parametersOf(id: OperationId, input: Record<string, unknown>): INodeParameters {
	const { resource, operation } = places.find((place) => place.id === id)!;
	const { list, input: fields }: Operation = operationOf(id);
	const open = ([name]: [string, unknown]) => isOpen(fields[name]!, operationOf(id));
	const args = Object.entries(input).filter(([name]) => !(list && name === 'limit'));
	return {
		...{ resource, operation, returnAll: false, limit: LIMIT },
		...Object.fromEntries(args.filter(open)),
		[list ? 'filters' : 'options']: Object.fromEntries(args.filter((entry) => !open(entry))),
	};
}

export async function nodeRedTarget(sandbox: Sandbox): Promise<Target> {
	const nodeId = (id: string) => id.replace('.', '-');
	const nodeRed = await startNodeRed({ packages: [packageFolder] });
	const nodes = operationIds.flatMap((id) => {
		const { palette } = operationOf(id);
		const outputs = isOrderWrite(operationOf(id)) ? 2 : 1;
		return node(nodeId(id), palette, { operation: nameParts(id).verb, limit: String(LIMIT) }, outputs);
	});
	await nodeRed.deploy([tab, account(sandbox), ...nodes]);
	return {
		run: async (id, input) => payloadOf(await call(nodeRed, nodeId(id), { payload: input })),
		close: async () => await nodeRed.stop(),
	};
}
