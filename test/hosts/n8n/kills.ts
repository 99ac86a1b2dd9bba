/**
 * A complete n8n that is killed and started again: orders under way, orders of unknown outcome that wait, and triggers
 * whose service is away at the start. One kill for all, because each start takes ten seconds.
 */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '../../support/condition';
import { fillsIn, makeFill } from '../../support/fills';
import type { Execution } from '../../support/n8n';
import { ordersIn } from '../../support/placing';
import { buying, byHand, called, isOrder, KEY, listening, root, type Bench } from './bench';
import { openCommonBench } from './common-bench';
import { recorder, type Recorder } from './recorder';

/** n8n 2 tries an activation for 15 seconds and then leaves it. */
const AWAY_MS = 20_000;
const WAIT_MS = 240_000;
const ALWAYS = 1_000_000;
const END = { name: 'End', type: 'n8n-nodes-base.noOp' };
/** Each of n8n's poll times comes once a minute at most, but a trigger may have several. */
const sixTimesAMinute = [0, 10, 20, 30, 40, 50].map((second) => ({
	mode: 'custom',
	cronExpression: `${second} * * * * *`,
}));
const watching = {
	name: 'Wallet',
	type: 'n8n-nodes-partner-exchange.partnerExchangeAlertTrigger',
	parameters: { event: 'transaction', pollTimes: { item: sixTimesAMinute } },
};

interface Example {
	nodes: { name: string; type: string }[];
	connections: Record<string, unknown>;
}
const example = (file: string): Example =>
	JSON.parse(readFileSync(join(root, 'examples', 'n8n', `${file}.json`), 'utf8')) as Example;

jest.setTimeout(4 * WAIT_MS);

describe('a complete n8n that is killed and started again', () => {
	let folder: string;
	let ordering: Bench;
	let settling: Bench;
	let listeningBench: Bench;
	let restartedAt: number;

	const waitFor = async (what: string, condition: () => boolean | Promise<boolean>): Promise<unknown> =>
		await until(condition, { timeoutMs: WAIT_MS, everyMs: 500, what, seen: () => ordering.n8n.log().slice(-1500) });
	const call = async (path: string): Promise<void> =>
		expect((await fetch(`${ordering.n8n.url()}/webhook/${path}`)).status).toBe(200);

	// Orders under way.
	const keyed = { business_key: '={{ $workflow.id }}' };
	const webhooks = [
		{ what: 'placed under a business key', kind: 'commit-then-hang', options: keyed, requests: 1 },
		{ what: 'not placed, under a business key', kind: 'hang', options: keyed, requests: 2 },
		{ what: 'placed under no name', kind: 'commit-then-hang', options: {}, requests: 1 },
		{ what: 'not placed, under no name', kind: 'hang', options: {}, requests: 2 },
	] as const;
	const underWay = new Map<string, string>();
	let forgotten: Execution;
	async function order(): Promise<void> {
		const { faults, requests } = ordering.sandbox();
		faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
		faults.arm({ kind: 'forbidden', operation: 'order.list', times: 100 });
		forgotten = await ordering.n8n.runManually(await ordering.save('Forgotten', [byHand, buying()]), 'Go');
		expect(forgotten.data.resultData.error).toMatchObject({ httpCode: 'outcome_unknown' });
		faults.disarm();
		for (const [index, { what, kind, options }] of webhooks.entries()) {
			const path = `under-way-${index}`;
			const id = await ordering.save(what, [called(path), buying({ options })]);
			underWay.set(what, id);
			await ordering.n8n.publish(id);
			faults.arm({ kind, operation: 'order.create' });
			const before = requests.filter(isOrder).length;
			await call(path);
			await waitFor('the order at the service', () => requests.filter(isOrder).length > before);
		}
	}

	// Orders of unknown outcome that wait.
	let errorWorkflow: string;
	let own: string;
	async function leaveUnknown(): Promise<void> {
		const status = async (workflowId: string): Promise<string | undefined> => {
			const filter = encodeURIComponent(JSON.stringify({ workflowId }));
			const found = await settling.n8n.api<{ results: { status: string }[] }>(
				'GET',
				`/rest/executions?filter=${filter}`,
			);
			return found.results[0]?.status;
		};
		const { faults } = settling.sandbox();
		const lose = async (path: string, waits: string): Promise<void> => {
			faults.arm({ kind: 'commit-then-drop', operation: 'order.create' });
			faults.arm({ kind: 'forbidden', operation: 'order.list' });
			await call(path);
			await waitFor('an execution to wait', async () => (await status(waits)) === 'waiting');
		};
		const settle = example('settle-unknown');
		errorWorkflow = await settling.save('Settle', settle.nodes, settle.connections);
		const outcomes = example('order-outcomes');
		const { 'When You Click': byClick, ...connections } = outcomes.connections;
		const nodes = outcomes.nodes.filter(({ type }) => type !== 'n8n-nodes-base.manualTrigger');
		own = await settling.save('Own', [...nodes, called('own')], { ...connections, Called: byClick });
		const other = await settling.save('Other', [called('other'), buying()], undefined, { errorWorkflow });
		for (const id of [errorWorkflow, own, other]) await settling.n8n.publish(id);
		await lose('own', own);
		await lose('other', errorWorkflow);
	}
	/** The six minutes pass while n8n is stopped. */
	function passTime(): void {
		const database = new DatabaseSync(join(settling.n8n.userFolder, '.n8n', 'database.sqlite'));
		const { changes } = database
			.prepare("UPDATE execution_entity SET waitTill = datetime('now') WHERE waitTill IS NOT NULL")
			.run();
		database.close();
		expect(changes).toBe(2);
		// A lookup may have joined one that was under way, and the next one is not to fail in its place.
		settling.sandbox().faults.disarm();
	}

	// Both triggers.
	let errors: string;
	let fills: string;
	let wallet: string;
	let record: Recorder;
	const deposit = async (amount: string): Promise<void> => {
		const body = JSON.stringify({ email: 'trader@sandbox.test', amount, currency: 'NGN' });
		const headers = { 'content-type': 'application/json' };
		const { baseUrl } = listeningBench.sandbox();
		const answer = await fetch(`${baseUrl}/simulate/fiat/deposits`, { method: 'POST', headers, body });
		if (!answer.ok) throw new Error(await answer.text());
	};
	async function listen(): Promise<void> {
		const { save, n8n, sandbox } = listeningBench;
		errors = await save('Errors', [{ name: 'On Error', type: 'n8n-nodes-base.errorTrigger' }, END]);
		await n8n.publish(errors).catch(() => undefined);
		const settings = { errorWorkflow: errors };
		fills = await save('Fills', [listening({ topics: ['user.fills'] }), END], undefined, settings);
		wallet = await save('Wallet', [watching, END], undefined, settings);
		for (const id of [fills, wallet]) await n8n.publish(id);
		record = recorder(listeningBench, fills);
		await makeFill(sandbox());
		type Stored = { staticData: { global?: Record<string, { value?: { idle?: boolean } }> } | null };
		await waitFor('the first fill to be written down', async () => {
			const { staticData } = await n8n.api<Stored>('GET', `/rest/workflows/${fills}`);
			const records = Object.values(staticData?.global ?? {});
			return (await record.fills()).length === 1 && records.some(({ value }) => value?.idle === true);
		});
	}
	const errorsTold = async (id: string): Promise<number> =>
		(await listeningBench.n8n.waitForExecutions(errors, 0)).filter(({ stored }) => stored.includes(id)).length;
	/** Every fill and deposit was told, each once. */
	async function allToldOnce(amounts: string[]): Promise<void> {
		const owed = (await fillsIn(listeningBench.sandbox())).sort();
		await waitFor('every fill', async () => (await record.fills()).length >= owed.length);
		type Told = { id: string; status: string; amount: string };
		let told: Told[] = [];
		await waitFor('every deposit', async () => {
			const runs = await listeningBench.n8n.waitForExecutions(wallet, 0);
			told = runs.flatMap((run) => run.itemsOf('Wallet').map(({ json }) => json as unknown as Told));
			return amounts.every((amount) => told.some((each) => each.amount === amount));
		});
		expect(await record.fills()).toEqual(owed);
		expect(await record.repeated()).toEqual([]);
		const changes = told.map(({ id, status }) => `${id} ${status}`);
		expect(changes).toHaveLength(new Set(changes).size);
	}

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'kills-'));
		// The service forgets idempotency keys at once, so only the client keeps a second request from ordering twice.
		ordering = await openCommonBench({ settings: { keyRetentionMs: 1 } });
		settling = await openCommonBench({ settings: { orderDelayMs: 5 } });
		listeningBench = await openCommonBench({ data: join(folder, 'exchange.db'), settings: { orderDelayMs: 0 } });
		await listen();
		await leaveUnknown();
		await order();
		await ordering.n8n.kill();
		await makeFill(listeningBench.sandbox());
		await deposit('11.00');
		await listeningBench.stopSandbox();
		passTime();
		await ordering.n8n.restart();
		restartedAt = Date.now();
	});
	afterAll(async () => {
		for (const bench of [ordering, settling, listeningBench]) await bench?.close();
		await rm(folder, { recursive: true, force: true });
	});

	const requestsOf = (clientOrderId: string) =>
		ordering
			.sandbox()
			.requests.filter(isOrder)
			.filter(({ body }) => body.includes(clientOrderId));
	const oneOrderOf = ({ itemsOf, status }: Execution): string => {
		expect(status).toBe('success');
		const { client_order_id: name, order_id: id } = itemsOf('Buy')[0]!.json as Record<string, string>;
		const orders = ordersIn(ordering.sandbox()).filter(({ clientOrderId }) => clientOrderId === name);
		expect(orders.map((each) => each.id)).toEqual([id]);
		return name!;
	};

	it('finds the one order of a failed execution after a kill that made n8n forget it', async () => {
		expect(requestsOf(oneOrderOf(await ordering.n8n.retry(forgotten.id)))).toHaveLength(1);
	});

	it.each(webhooks)('places one order after a kill before which it was $what', async ({ what, requests }) => {
		const [crashed] = await ordering.n8n.waitForExecutions(underWay.get(what)!, 1);
		expect(crashed!.status).toBe('crashed');
		const before = ordersIn(ordering.sandbox()).length;
		expect(requestsOf(oneOrderOf(await ordering.n8n.retry(crashed!.id)))).toHaveLength(requests);
		expect(ordersIn(ordering.sandbox())).toHaveLength(before + requests - 1);
	});

	it("resolves an unknown order after a kill by its own workflow, and by another's error workflow", async () => {
		const runs = await Promise.all(
			[own, errorWorkflow].map(async (id) => (await settling.n8n.waitForExecutions(id, 1))[0]!),
		);
		expect(runs.map(({ data }) => data.resultData.error)).toEqual([undefined, undefined]);
		const placed = ordersIn(settling.sandbox());
		expect(runs.flatMap((run) => run.itemsOf('Find Out')).map(({ json }) => json)).toEqual(
			placed.map(({ clientOrderId }) =>
				expect.objectContaining({ outcome: 'accepted', client_order_id: clientOrderId }),
			),
		);
		expect(placed).toHaveLength(2);
		expect(settling.sandbox().requests.filter(isOrder)).toHaveLength(2);
	});

	it('has both triggers wait for a service that is away when it starts, and report what they missed once', async () => {
		const isWaiting = (): boolean => listeningBench.n8n.log().includes('Fills: The trigger does not listen yet');
		await waitFor('the trigger to try, and to say that it waits', isWaiting);
		await waitFor('longer than n8n tries', () => Date.now() - restartedAt > AWAY_MS);
		await listeningBench.restartSandbox();
		await makeFill(listeningBench.sandbox());
		await deposit('12.00');
		await allToldOnce(['11.00', '12.00']);
		expect(await errorsTold(fills)).toBe(0);
	});

	it('runs the error workflow of both triggers once each for a refused key, and they resume when it is accepted again', async () => {
		const before = await Promise.all([fills, wallet].map(errorsTold));
		const { faults } = listeningBench.sandbox();
		const armed = [
			faults.arm({ kind: 'unauthorized', times: ALWAYS, apiKey: KEY }),
			faults.arm({ kind: 'refuse-stream', times: ALWAYS }),
		];
		faults.arm({ kind: 'drop-stream' });
		await deposit('13.00');
		for (const [index, id] of [fills, wallet].entries())
			await waitFor('the error workflow', async () => (await errorsTold(id)) > before[index]!);
		armed.forEach(({ id }) => faults.disarm(id));
		await makeFill(listeningBench.sandbox());
		await deposit('14.00');
		await allToldOnce(['13.00', '14.00']);
		expect(await Promise.all([fills, wallet].map(errorsTold))).toEqual(before.map((count) => count + 1));
		// The advice names the key that every sandbox has; nowhere else does the log hold it.
		const log = listeningBench.n8n.log().replaceAll(`Take a key of the sandbox on this machine: ${KEY}`, '');
		expect(log).not.toContain(KEY);
	});
});
