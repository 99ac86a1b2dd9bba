/** The consumers on brokers compare fills with orders: the fills they find are those they have not sold yet. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
	createClient,
	createStream,
	type Account,
	type Client,
	type Stream,
	type StreamEvent,
} from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { until } from '../support/condition';

type Row = Record<string, unknown>;
type Found = { eventKey: string; data: Row };
/** What an example does with a fill, as far as it names what it places, and with its lists. */
interface Consuming {
	businessKey: (event: { eventKey: string; data: Row }) => string;
	compare: (fills: Row[], orders: Row[]) => Found[];
}

const read = <T>(file: string): T => JSON.parse(readFileSync(join(__dirname, '../../examples', file), 'utf8')) as T;
/** What stands between the braces of an n8n expression. */
const inside = (expression: string): string => /^=\{\{ (.*) \}\}$/s.exec(expression)![1]!;

function inN8n(file: string): Consuming {
	const { nodes } = read<{ nodes: { id: string; parameters: Row }[] }>(file);
	const parametersOf = (id: string): Row => nodes.find((node) => node.id === id)!.parameters;
	const { business_key } = parametersOf('sell')['options'] as { business_key: string };
	// eslint-disable-next-line @typescript-eslint/no-implied-eval -- the text stands in this repository
	const compare = new Function('$', `return ${inside(parametersOf('compare')['jsonOutput'] as string)}`) as (
		$: unknown,
	) => unknown;
	return {
		businessKey: ({ eventKey }) => business_key.slice(1).replace('{{ $json.eventKey }}', eventKey),
		compare: (fills, orders) => {
			const rows: Record<string, Row[]> = { Fills: fills, Orders: orders };
			const listed = (name: string) => ({ all: () => rows[name]!.map((json) => ({ json })) });
			return (compare(listed) as { missing: Found[] }).missing;
		},
	};
}

function inNodeRed(file: string): Consuming {
	const nodes = read<{ name?: string; func?: string }[]>(file);
	const run = (name: string, msg: object): unknown => {
		const { func } = nodes.find((node) => node.name === name)!;
		const flow = { get: (key: string) => (key === 'seen' ? [] : 0), set: () => undefined };
		// eslint-disable-next-line @typescript-eslint/no-implied-eval -- the text stands in this repository
		const call = new Function('msg', 'flow', 'node', func!) as (...args: unknown[]) => unknown;
		return call(msg, flow, { warn: () => undefined });
	};
	return {
		businessKey: (payload) => (run('sell what was bought', { payload }) as { intentKey: string }).intentKey,
		compare: (fills, payload) =>
			(run('fills without an order', { fills, payload }) as [{ payload: Found }[]])[0].map(
				({ payload: found }) => found,
			),
	};
}

describe('the comparison of a consumer', () => {
	let sandbox: Sandbox;
	let client: Client;
	let stream: Stream;
	let bought: StreamEvent[];
	beforeEach(async () => {
		sandbox = await startSandbox({ marketMaker: true });
		const { baseUrl, wsUrl } = sandbox;
		const account: Account = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' };
		client = createClient(account, nodePorts());
		stream = createStream({ ...nodePorts(), account, client });
		bought = [];
		const deliver = async (events: StreamEvent[]) =>
			await Promise.resolve(void bought.push(...events.filter(({ data }) => (data as Row)['side'] === 'buy')));
		await stream.subscribe({ topics: ['user.fills'], deliver }).ready;
	});
	afterEach(async () => {
		await stream.close();
		await sandbox.close();
	});

	it.each([
		['n8n-consumer.json', inN8n('brokers/n8n-consumer.json')],
		['n8n-consumer-mqtt.json', inN8n('brokers/n8n-consumer-mqtt.json')],
		['reader-mqtt.json', inNodeRed('node-red/reader-mqtt.json')],
	])(
		'in %s finds the fills that were not sold, under the keys of their events',
		async (_, { businessKey, compare }) => {
			const order = { pair_id: 'USD/NGN', order_type: 'market', quantity: '1.00' } as const;
			for (const count of [1, 2]) {
				await client.order.create({ ...order, side: 'buy' });
				await until(() => bought.length >= count, { what: 'the fill' });
			}
			const [sold, ...missed] = bought.map(({ eventKey, data }) => ({ eventKey, data: data as Row }));
			await client.order.create({ ...order, side: 'sell' }, { options: { business_key: businessKey(sold!) } });
			const [{ fills }, { orders }] = [await client.fill.list({}), await client.order.list({})];
			const found = compare(fills, orders);
			expect(found.map(({ eventKey }) => eventKey).sort()).toEqual(missed.map(({ eventKey }) => eventKey).sort());
		},
	);
});
