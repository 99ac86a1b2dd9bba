/** An n8n as operators configure it: it runs one execution at a time, and a proxy is its only way out. */
import type { ServerResponse } from 'node:http';
import { until } from '../../support/condition';
import { AUTHORITY, startProxiedExchange } from '../../support/connect-proxy';
import { fillsIn, makeFill } from '../../support/fills';
import { startWire } from '../../support/wire';
import { buying, byHand, called, isOrder, listening, openBench, type Bench } from './bench';
import { recorder } from './recorder';
import { forAll } from '../../support/opened';

jest.setTimeout(300_000);

const TYPE = 'partnerExchangeApi';
const END = { name: 'End', type: 'n8n-nodes-base.noOp' };

describe('an n8n that runs one execution at a time behind a proxy, with NODE_USE_ENV_PROXY=1', () => {
	const wire = forAll(() => startWire());
	const exchange = forAll(() => startProxiedExchange());
	const bench = forAll(() => {
		const proxied = { HTTPS_PROXY: exchange.proxy, NODE_EXTRA_CA_CERTS: AUTHORITY, NODE_USE_ENV_PROXY: '1' };
		const env = { ...proxied, N8N_CONCURRENCY_PRODUCTION_LIMIT: '1' };
		return openBench({ settings: { orderDelayMs: 0 } }, { env });
	});
	const waitFor = async (what: string, condition: () => boolean | Promise<boolean>): Promise<unknown> =>
		await until(condition, { everyMs: 200, what, seen: () => bench.n8n.log().slice(-1500) });

	/** The one execution that may run, until it is answered. */
	let turns = 0;
	async function holdTheTurn(): Promise<ServerResponse> {
		turns += 1;
		const path = `hold-${turns}`;
		const pending: ServerResponse[] = [];
		wire.on('GET /slow', (_request, response) => void pending.push(response));
		const asking = { name: 'End', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 };
		const id = await bench.save('Holds', [called(path), { ...asking, parameters: { url: `${wire.url}/slow` } }]);
		await bench.n8n.publish(id);
		await fetch(`${bench.n8n.url()}/webhook/${path}`);
		await waitFor('the execution that has its turn', () => pending.length === 1);
		return pending[0]!;
	}
	async function nextOf(workflowId: string): Promise<string | undefined> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await bench.n8n.api<{ results: { id: string; status: string }[] }>(
			'GET',
			`/rest/executions?limit=20&filter=${filter}`,
		);
		return results.find(({ status }) => status === 'new')?.id;
	}

	// The first of all, because the trigger does not know yet whether n8n has a queue.
	it('places one order for a fill whose first execution waits for its turn longer than any may take', async () => {
		const seconds = 1;
		const trigger = listening({ topics: ['user.fills'], options: { executionSeconds: seconds } });
		const id = await bench.save('First', [trigger, buying()]);
		await bench.n8n.publish(id);
		await waitFor('the stream', () => bench.sandbox().requests.some(({ path }) => path.includes('/fills')));
		const pending = await holdTheTurn();
		await makeFill(bench.sandbox());
		await waitFor('an execution that waits', async () => (await nextOf(id)) !== undefined);
		const began = Date.now();
		await waitFor('three times as long as it may take', () => Date.now() - began > 3_000 * seconds);
		pending.end();
		await waitFor('the end of all executions', async () => (await nextOf(id)) === undefined);
		const bought = (): string[] =>
			bench
				.sandbox()
				.requests.filter(isOrder)
				.flatMap(({ body }) => (body.includes('"1400.00"') ? [body] : []));
		await waitFor('an order', () => bought().length > 0);
		// Each execution has its turn before those that begin to wait now.
		(await holdTheTurn()).end();
		expect(bought()).toHaveLength(1);
		await bench.n8n.unpublish(id);
	});

	it('processes every fill once the workflow is published again after an execution was stopped before its turn', async () => {
		const trigger = listening({ topics: ['user.fills'], options: { executionSeconds: 1 } });
		const earlier = await fillsIn(bench.sandbox());
		const id = await bench.save('Waits', [trigger, END]);
		await bench.n8n.publish(id);
		const record = recorder(bench, id);
		await makeFill(bench.sandbox());
		await waitFor('a first execution', async () => (await record.fills()).length === 1);
		const pending = await holdTheTurn();
		await makeFill(bench.sandbox());
		let next: string | undefined;
		await waitFor('an execution that waits', async () => (next = await nextOf(id)) !== undefined);
		await bench.n8n.api('POST', `/rest/executions/${next}/stop`, {});
		pending.end();
		await waitFor('the log to say what to do', () => bench.n8n.log().includes('publish it again'));
		await bench.n8n.unpublish(id);
		await bench.n8n.publish(id);
		await makeFill(bench.sandbox());
		const truth = (await fillsIn(bench.sandbox())).filter((fill) => !earlier.includes(fill)).sort();
		await waitFor('every fill', async () => (await record.fills()).length >= truth.length);
		expect(await record.fills()).toEqual(truth);
		await bench.n8n.unpublish(id);
	});

	it('passes the test of the credential, places an order, cancels it and gets the events of both through the proxy', async () => {
		const { n8n } = bench;
		const { baseUrl, wsUrl } = exchange;
		const advanced = { testHosts: { testHosts: 'exchange.test' } };
		const data = { environment: 'staging', apiKey: 'sandbox-key', baseUrl, wsUrl, advanced };
		const credential = { name: 'Proxied', type: TYPE, data };
		const credentials = { [TYPE]: await n8n.saveCredential(credential) };
		const save = async (nodes: Parameters<Bench['save']>[1]): Promise<string> => {
			const [from, to, last] = nodes.map(({ name }) => name);
			const wire = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });
			const connections = { [from!]: wire(to!), ...(last ? { [to!]: wire(last) } : {}) };
			const ours = nodes.map((node) => (node.type.includes('partner-exchange') ? { ...node, credentials } : node));
			return (await n8n.saveWorkflow({ name: from!, nodes: ours, connections, settings: {} })).id;
		};
		expect(await n8n.testCredential(credential)).toMatchObject({ status: 'OK' });
		const heard = await save([listening({ topics: ['user.orders'] }), END]);
		await n8n.publish(heard);
		const order_id = { __rl: true, mode: 'id', value: '={{ $json.order_id }}' };
		const pair_id = { __rl: true, mode: 'id', value: 'USD/NGN' };
		const cancelling = {
			...{ name: 'Cancel', type: buying().type },
			parameters: { resource: 'order', operation: 'cancel', order_id, pair_id },
		};
		expect(await n8n.runManually(await save([byHand, buying(), cancelling]), 'Go')).toMatchObject({
			status: 'success',
		});
		const isHeard = async (): Promise<boolean> =>
			(await n8n.waitForExecutions(heard, 1)).some(({ stored }) => stored.includes('cancelled'));
		await waitFor('the event of the cancelled order', isHeard);
		expect(new Set(exchange.tunnels)).toEqual(new Set(['exchange.test:443']));
	});
});
