/** The hosts under conformance test. */
import {
	isOrderWrite,
	nameParts,
	operationIds,
	operationOf,
	type Operation,
	type OperationId,
} from '@partner-exchange/core/catalogue';
import type { Sandbox } from '@partner-exchange/sandbox';
import type { INodeParameters } from 'n8n-workflow';
import { previews } from '../../build/schemas';
import { isOpen } from '../../nodes/shared/form/form';
import { formOperations } from '../../nodes/shared/form/names';
import { run as runNode } from '../n8n/exchange';
import { account, call, node, packageFolder, payloadOf, tab } from '../node-red/flows';
import { startNodeRed } from '../support/node-red';
import { LIMIT, type Target } from './operations';

export function n8nTarget(sandbox: Sandbox): Promise<Target> {
	return Promise.resolve({
		run: async (id, input) => {
			const made = await runNode(sandbox, parametersOf(id, input));
			if (made.error) throw new Error(`${id}: ${made.error.message} ${String(made.error.description)}`);
			const items = made.items.map(({ json }) => json);
			expect(made.items.map(({ pairedItem }) => pairedItem)).toEqual(made.items.map(() => ({ item: 0 })));
			if (items[0]) expect(previewOf(id).filter((field) => !Object.hasOwn(items[0]!, field))).toEqual([]);
			return operationOf(id).list ? items : items[0];
		},
		close: async () => undefined,
	});
}

/** The fields n8n shows of an output before the node was run. */
function previewOf(id: OperationId): string[] {
	const { resource, operation } = formOperations.find((place) => place.id === id)!;
	const { schema } = previews().find(({ path }) => path === `${resource}/${operation}.json`)!;
	return Object.keys(schema.properties ?? {});
}

/** An input as parameters of the n8n node. */
function parametersOf(id: OperationId, input: Record<string, unknown>): INodeParameters {
	const { resource, operation } = formOperations.find((place) => place.id === id)!;
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
