import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { until } from '../support/condition';
import { runNode, runWorkflow } from '../support/engine';
import { startTrigger } from '../support/engine-trigger';

const describeNode = (name: string, properties: INodeTypeDescription['properties'] = []): INodeTypeDescription => ({
	...{ displayName: name, name, group: ['transform'], version: 1, description: name, defaults: { name } },
	...{ inputs: ['main'], outputs: ['main'], properties },
});

class ProbeKey {
	name = 'probeKey';
	displayName = 'Probe Key';
	properties = [];
	authenticate = { type: 'generic' as const, properties: { headers: { 'X-Api-Key': '={{$credentials.apiKey}}' } } };
}

/** Requests the path in its form from the probe server, with the key of its credential. */
class Asks implements INodeType {
	description: INodeTypeDescription = {
		...describeNode('asks', [{ displayName: 'Address', name: 'url', type: 'string', default: '' }]),
		credentials: [{ name: 'probeKey', required: true }],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const answers: INodeExecutionData[] = [];
		for (const item of this.getInputData().keys()) {
			const request: IHttpRequestOptions = { url: this.getNodeParameter('url', item) as string, json: true };
			try {
				const answer = (await this.helpers.httpRequestWithAuthentication.call(this, 'probeKey', request)) as object;
				answers.push({ json: { ...answer, execution: this.getExecutionId() }, pairedItem: { item } });
			} catch (error) {
				if (!this.continueOnFail()) throw error;
				answers.push({ json: { error: (error as Error).message }, pairedItem: { item } });
			}
		}
		return [answers];
	}
}

class Counts implements INodeType {
	description: INodeTypeDescription = { ...describeNode('counts'), group: ['trigger'], inputs: [] };

	async trigger(this: ITriggerFunctions): Promise<ITriggerResponse> {
		const memory = this.getWorkflowStaticData('node');
		for (const number of [1, 2, 3]) {
			memory['last'] = number;
			const done = this.helpers.createDeferredPromise<IRun>();
			this.emit([[{ json: { number } }]], undefined, done, `key-${number}`);
			await done.promise;
		}
		return { closeFunction: async () => await Promise.resolve(void (memory['closed'] = true)) };
	}
}

describe('the engine of the tests', () => {
	const seen: Array<{ path: string; key: string }> = [];
	let server: Server;
	let url: string;

	beforeAll(async () => {
		server = createServer((request, response) => {
			seen.push({ path: request.url!, key: String(request.headers['x-api-key']) });
			const failed = request.url!.endsWith('/bad') && seen.filter(({ path }) => path === request.url).length < 2;
			response.writeHead(failed ? 500 : 200, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ path: request.url }));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	});
	beforeEach(() => seen.splice(0));
	afterAll(() => server.close());

	const common = { credentials: { probeKey: { apiKey: 'probe-secret' } }, credentialTypes: [ProbeKey] };

	it('the engine of the tests runs each item of a node with the key of its credential', async () => {
		const run = await runNode(Asks, {
			...common,
			parameters: { url: `=${url}/{{ $json.name }}` },
			items: [{ name: 'one' }, { name: 'two' }],
		});
		expect(run.error).toBeUndefined();
		expect(run.items.map(({ json, pairedItem }) => [json['path'], pairedItem])).toEqual([
			['/one', { item: 0 }],
			['/two', { item: 1 }],
		]);
		expect(seen.map(({ key }) => key)).toEqual(['probe-secret', 'probe-secret']);
		expect(run.stored()).not.toContain('probe-secret');
	});

	it('the engine of the tests repeats a failed node within one execution when Retry On Fail is set', async () => {
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };
		const run = await runNode(Asks, { ...common, parameters: { url: `${url}/bad` }, settings });
		expect(run.status).toBe('success');
		expect(seen).toHaveLength(2);
	});

	it('the engine of the tests stops at an error, and retries it under another execution ID', async () => {
		const run = await runNode(Asks, { ...common, parameters: { url: `${url}/bad` } });
		expect(run.status).toBe('error');
		expect(run.error?.message).toContain('service');
		const again = await run.retry('execution-9');
		expect(again.items[0]?.json).toEqual({ path: '/bad', execution: 'execution-9' });
	});

	it('the engine of the tests hands failed items on when the node continues on failure', async () => {
		const failing = { type: Asks, parameters: { url: `${url}/bad` }, settings: { continueOnFail: true } };
		const run = await runWorkflow([failing, { type: Asks, name: 'Then', parameters: { url: `${url}/then` } }], common);
		expect(run.runsOf('asks')[0]?.data?.['main']?.[0]?.[0]?.json).toHaveProperty('error');
		expect(run.items[0]?.json['path']).toBe('/then');
	});

	it('the engine of the tests drives a trigger, holding each execution until the test ends it', async () => {
		const open: Array<() => void> = [];
		const starting = startTrigger(Counts, {
			nodeStaticData: { last: 0 },
			onEmit: (emission) =>
				emission.deduplicationKey === 'key-1' ? emission.finish() : open.push(() => emission.finish()),
		});
		for (let amount = 0; amount < 2; amount += 1) {
			await until(() => open.length === 1, { what: 'an execution to end' });
			open.pop()!();
		}
		const trigger = await starting;
		expect(await trigger.waitForItems(3)).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }]);
		expect(trigger.emissions.map(({ staticData }) => staticData['last'])).toEqual([1, 2, 3]);
		await trigger.close();
		expect(trigger.staticData()).toEqual({ last: 3, closed: true });
	});
});
