/** A complete n8n where a proxy is the only way out, with and without the setting that leads Node's WebSocket through it. */
import { until } from '../../support/condition';
import { AUTHORITY, startProxiedExchange, type ProxiedExchange } from '../../support/connect-proxy';
import { startN8n, type Execution, type TestN8n } from '../../support/n8n';
import { buying, byHand, listening, root } from './bench';

const TYPE = 'partnerExchangeApi';

const cancelling = {
	name: 'Cancel',
	type: 'n8n-nodes-partner-exchange.partnerExchange',
	parameters: {
		...{ resource: 'order', operation: 'cancel' },
		order_id: { __rl: true, mode: 'id', value: '={{ $json.order_id }}' },
		pair_id: { __rl: true, mode: 'id', value: 'USD/NGN' },
	},
};

async function openBehindProxy(env: NodeJS.ProcessEnv) {
	const exchange: ProxiedExchange = await startProxiedExchange();
	const proxied = { HTTPS_PROXY: exchange.proxy, NODE_EXTRA_CA_CERTS: AUTHORITY, ...env };
	const n8n: TestN8n = await startN8n({ packages: [root], env: proxied }).catch(async (error: unknown) => {
		await exchange.close();
		throw error;
	});
	const { baseUrl, wsUrl } = exchange;
	const data = { environment: 'staging', testHosts: 'exchange.test', apiKey: 'sandbox-key', baseUrl, wsUrl };
	const credential = { name: 'Proxied', type: TYPE, data };
	const credentials = { [TYPE]: await n8n.saveCredential(credential) };
	return {
		...{ exchange, n8n, credential },
		save: async (name: string, nodes: { name: string; type: string; parameters?: object }[]): Promise<string> => {
			const connections = Object.fromEntries(
				nodes.slice(1).map((node, at) => [nodes[at]!.name, { main: [[{ node: node.name, type: 'main', index: 0 }]] }]),
			);
			const ours = nodes.map((node) => (node.type.startsWith('n8n-nodes-partner') ? { ...node, credentials } : node));
			return (await n8n.saveWorkflow({ name, nodes: ours, connections, settings: {} })).id;
		},
		close: async () => {
			await n8n.stop();
			await exchange.close();
		},
	};
}

type BehindProxy = Awaited<ReturnType<typeof openBehindProxy>>;

const end = { name: 'End', type: 'n8n-nodes-base.noOp' };
const saidIn = ({ data }: Execution): string => {
	const { message, description } = data.resultData.error!;
	return `${message}. ${String(description)}`;
};

describe('n8n behind a proxy, with NODE_USE_ENV_PROXY=1', () => {
	let stage: BehindProxy;
	beforeAll(async () => {
		stage = await openBehindProxy({ NODE_USE_ENV_PROXY: '1' });
	});
	afterAll(async () => await stage?.close());

	it('passes the test of the credential, places an order, cancels it and hears of both', async () => {
		const { n8n, exchange, credential, save } = stage;
		expect(await n8n.testCredential(credential)).toMatchObject({ status: 'OK' });
		const heard = await save('Heard', [listening({ topics: ['user.orders'] }), end]);
		await n8n.publish(heard);
		const trade = await save('Trade', [byHand, buying(), cancelling]);
		const execution = await n8n.runManually(trade, 'Go');
		expect(execution).toMatchObject({ status: 'success' });
		const statuses = async (): Promise<boolean> =>
			(await n8n.waitForExecutions(heard, 1)).some(({ stored }) => stored.includes('cancelled'));
		await until(statuses, { everyMs: 200, what: 'the event of the cancelled order' });
		expect(new Set(exchange.tunnels)).toEqual(new Set(['exchange.test:443']));
	});
});

describe('n8n behind a proxy, without that setting', () => {
	let stage: BehindProxy;
	beforeAll(async () => {
		stage = await openBehindProxy({});
	});
	afterAll(async () => await stage?.close());

	it('says where the credential is saved that the stream does not open, and the setting that helps', async () => {
		const { status, message } = await stage.n8n.testCredential(stage.credential);
		expect(status).toBe('Error');
		expect(message).toMatch(/the Stream Address does not.*NODE_USE_ENV_PROXY=1/);
	});

	it('names that setting at the dry run of an order that could not be cancelled', async () => {
		const { n8n, save } = stage;
		const rehearsal = await save('Rehearsal', [byHand, buying({ options: { dry_run: true } }), end]);
		const { data, status } = await n8n.runManually(rehearsal, 'Go');
		expect(status).toBe('success');
		const hints = data.resultData.runData['Buy']![0]!.hints!.map(({ message }) => message);
		expect(hints).toContainEqual(expect.stringMatching(/not be cancelled.*NODE_USE_ENV_PROXY=1/));
	});

	it('names that setting where a trigger is published and where an order is cancelled', async () => {
		const { n8n, save } = stage;
		const refusal = await n8n.publish(await save('Heard', [listening({ topics: ['user.orders'] }), end])).then(
			() => 'published',
			(error: unknown) => String(error),
		);
		expect(refusal).toMatch(/NODE_USE_ENV_PROXY=1/);
		const execution = await n8n.runManually(await save('Trade', [byHand, buying(), cancelling]), 'Go');
		expect(execution.status).toBe('error');
		expect(saidIn(execution)).toMatch(/NODE_USE_ENV_PROXY=1/);
	});
});
