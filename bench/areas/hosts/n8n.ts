import { join } from 'node:path';
import type {
	ICredentialType,
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { PartnerExchange } from '../../../nodes/PartnerExchange/PartnerExchange.node';
import { PartnerExchangeTrigger } from '../../../nodes/PartnerExchangeTrigger/PartnerExchangeTrigger.node';
import { n8nFolder } from '../../../scripts/hosts/n8n-install';
import { runNode, runWorkflow } from '../../../test/support/engine';
import { startTrigger, type Emission } from '../../../test/support/engine-trigger';
import { stopwatch, type Contestant } from '../../area';
import { peer } from '../../peers';
import { begin } from '../stream/server';

const PAIR = 'USD/NGN';
/** As many as our node asks at once. */
const LANES = 20;

const credentialAt = (address: string, path: string) => ({
	partnerExchangeApi: {
		...{ environment: 'sandbox', apiKey: 'bench-key' },
		...{ baseUrl: `http://${address}${path}/v1`, wsUrl: `ws://${address}${path}/v1/ws` },
	},
});

/** The node behind a trigger. */
class Behind implements INodeType {
	description: INodeTypeDescription = {
		...{ displayName: 'Behind', name: 'behind', group: ['transform'], version: 1, description: 'Takes what comes' },
		...{ defaults: { name: 'Behind' }, inputs: ['main'], outputs: ['main'], properties: [] },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [this.getInputData()];
	}
}

/** Executions of a workflow, one at a time, on n8n's engine, until all events went through one. */
const trigger =
	(options: INodeParameters): Contestant['run'] =>
	(size, address) =>
		new Promise((resolve, reject) => {
			let end: ReturnType<typeof stopwatch> | undefined;
			let left = size;
			const execute = async ({ items, finish }: Emission): Promise<void> => {
				end ??= stopwatch();
				await runWorkflow([{ type: Behind }], { items: items.map(({ json }) => json) });
				left -= items.length;
				finish();
				if (left === 0) resolve(end(size));
			};
			startTrigger(PartnerExchangeTrigger, {
				credentials: credentialAt(address, '/trades'),
				parameters: { topics: ['trades'], pairs: [PAIR], options },
				onEmit: (emission) => void execute(emission).catch(reject),
			})
				.then(() => begin(address, 'trades', size))
				.catch(reject);
		});

export const triggers = {
	each: trigger({ eventsPerExecution: 1 }),
	ours: trigger({}),
};

const items = (size: number) => Array.from({ length: size }, (_, index) => ({ order_id: `order-${index}` }));

const ours: Contestant['run'] = async (size, address) => {
	const options = {
		credentials: credentialAt(address, ''),
		parameters: { resource: 'order', operation: 'get', order_id: '={{ $json.order_id }}' },
	};
	await runNode(PartnerExchange, { ...options, items: items(20) });
	const end = stopwatch();
	const { status, error } = await runNode(PartnerExchange, { ...options, items: items(size) });
	if (status !== 'success') throw new Error(`The action node ended with ${status}: ${error?.message}`);
	return end(size);
};

type NodeVersions = { nodeVersions: Record<number, INodeType> };

/** A part of the installed n8n's own nodes. */
const ofN8n = <Module>(path: string): Module =>
	peer<Module>(join(n8nFolder(), 'node_modules/n8n-nodes-base/dist', path));

/** n8n's own node as the palette has it, which sends all its items at once; with a key in a credential, or without. */
const httpRequest =
	(isKeyed: boolean): Contestant['run'] =>
	async (size, address) => {
		const { HttpRequest } = ofN8n<{ HttpRequest: new () => NodeVersions }>('nodes/HttpRequest/HttpRequest.node.js');
		const { HttpHeaderAuth } = ofN8n<{ HttpHeaderAuth: new () => ICredentialType }>(
			'credentials/HttpHeaderAuth.credentials.js',
		);
		const latest = Object.values(new HttpRequest().nodeVersions).at(-1)!;
		// As an installed n8n names it, which lets no other node use credentials of any type.
		latest.description.name = 'n8n-nodes-base.httpRequest';
		// The engine makes its nodes itself; this one is there already.
		const Node = function () {
			return latest;
		} as unknown as new () => INodeType;
		const parameters = {
			...{ method: 'GET', url: `=http://${address}/v1/partner/exchange/orders/{{ $json.order_id }}` },
			...(isKeyed
				? { authentication: 'genericCredentialType', genericAuthType: 'httpHeaderAuth' }
				: { authentication: 'none' }),
			...{ sendHeaders: false, sendQuery: false, sendBody: false, options: {} },
		};
		const options = {
			parameters,
			...(isKeyed
				? {
						credentials: { httpHeaderAuth: { name: 'X-Api-Key', value: 'bench-key' } },
						credentialTypes: [HttpHeaderAuth],
						settings: { credentials: { httpHeaderAuth: { id: 'httpHeaderAuth', name: 'httpHeaderAuth' } } },
					}
				: {}),
		};
		await runNode(Node, { ...options, items: items(20) });
		const end = stopwatch();
		const { status, error } = await runNode(Node, { ...options, items: items(size) });
		if (status !== 'success') throw new Error(`The HTTP Request node ended with ${status}: ${error?.message}`);
		return end(size);
	};

/** A node that does nothing but ask: what is left of a read when nobody looks at items, inputs or answers. */
class Helper extends Behind {
	override async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const left = this.getInputData();
		const lane = async (): Promise<void> => {
			for (let item = left.pop(); item; item = left.pop()) {
				await this.helpers.httpRequest({ url: String(item.json['url']), encoding: 'text' });
			}
		};
		await Promise.all(Array.from({ length: LANES }, lane));
		return [[]];
	}
}

const helper: Contestant['run'] = async (size, address) => {
	const orders = items(size).map(({ order_id }) => ({
		url: `http://${address}/v1/partner/exchange/orders/${order_id}`,
	}));
	await runNode(Helper, { items: orders.slice(0, 20) });
	const end = stopwatch();
	const { status, error } = await runNode(Helper, { items: orders });
	if (status !== 'success') throw new Error(`The helper ended with ${status}: ${error?.message}`);
	return end(size);
};

export const actions = { plain: httpRequest(false), keyed: httpRequest(true), helper, ours };
