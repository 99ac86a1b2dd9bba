/** Fills in a complete n8n while everything that can happen to it happens; its own executions are the witness. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finishedExecutions, readExecution, type Execution } from '../../../scripts/hosts/executions';
import { until } from '../../support/condition';
import { KEY, listening, openBench, type Bench } from './bench';

const COUNTERPARTY = 'sandbox-key-second';
const FILL_EVERY_MS = 150;
const FILLS_MAX = 1_000;
/** Fills made and processed between one disturbance and the next. */
const BETWEEN = 12;

/** Pages of executions read while some are awaited; older ones are known by then. */
const NEWEST_PAGES = 2;

/** Executions whose end may not be written down when n8n stops. */
const IN_HAND_MAX = 2;

jest.setTimeout(240_000);

interface Event {
	eventKey: string;
	data: { id: string };
}

describe('fills in a complete n8n', () => {
	let folder: string;
	let bench: Bench;
	let orders = 0;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'fills-'));
		bench = await openBench({ data: join(folder, 'exchange.db'), settings: { orderDelayMs: 0 } });
	});
	afterAll(async () => {
		await bench.close();
		await rm(folder, { recursive: true, force: true });
	});

	const order = async (key: string, side: 'buy' | 'sell'): Promise<void> => {
		const body = JSON.stringify({ pair_id: 'USD/NGN', side, order_type: 'limit', quantity: '1.00', price: '1500.00' });
		const headers = {
			'content-type': 'application/json',
			'x-api-key': key,
			'idempotency-key': `fill-${(orders += 1)}`,
		};
		await fetch(`${bench.sandbox().baseUrl}/partner/exchange/orders`, { method: 'POST', headers, body });
	};
	/** The seller's order may be left over when the service ends between the two; a later buyer takes it. */
	const makeFill = async (): Promise<void> => {
		await order(COUNTERPARTY, 'sell');
		await order(KEY, 'buy');
	};
	const truth = async (): Promise<string[]> => {
		const ids: string[] = [];
		for (;;) {
			const path = `/partner/exchange/fills?limit=500&offset=${ids.length}`;
			const answer = await fetch(bench.sandbox().baseUrl + path, { headers: { 'x-api-key': KEY } });
			const { data } = (await answer.json()) as { data: { fills: { id: string }[] } };
			if (data.fills.length === 0) return ids;
			ids.push(...data.fills.map(({ id }) => id));
		}
	};
	const listen = async (name: string, options: Record<string, unknown> = {}): Promise<string> => {
		const end = { name: 'End', type: 'n8n-nodes-base.noOp' };
		const id = await bench.save(name, [listening({ topics: ['user.fills'], options }), end]);
		await bench.n8n.publish(id);
		return id;
	};
	const staticData = async (workflowId: string): Promise<unknown> =>
		(await bench.n8n.api<{ staticData: unknown }>('GET', `/rest/workflows/${workflowId}`)).staticData;

	it('answers a test in the editor with a real fill, and takes nothing from the published workflow', async () => {
		const id = await listen('Tested');
		const record = recorder(bench, id);
		await makeFill();
		await until(async () => (await record.processed()).length === 1, { timeoutMs: 20_000, what: 'the first fill' });
		const kept = await staticData(id);
		const test = await bench.n8n.runManually(id, 'Fills');
		const [known] = await truth();
		expect(test).toMatchObject({ status: 'success', mode: 'manual' });
		expect(test.itemsOf('End').map(({ json }) => (json as unknown as Event).data.id)).toEqual([known]);
		expect(await staticData(id)).toEqual(kept);
		await makeFill();
		await until(async () => (await record.processed()).length === 2, { timeoutMs: 20_000, what: 'the second fill' });
		expect((await record.processed()).map(({ data }) => data.id).sort()).toEqual((await truth()).sort());
		await bench.n8n.unpublish(id);
	});

	it('processes every fill, and twice only what was in hand when it stopped (checklist 128)', async () => {
		const before = new Set(await truth());
		const workflows = [await listen('Gathered'), await listen('One by one', { eventsPerExecution: 1 })];
		const records = workflows.map((id) => recorder(bench, id));
		const driver = drive(makeFill);
		const stops: number[] = [];
		const seen = (): string => bench.n8n.log().slice(-1500);
		const goOn = async (what: string): Promise<void> => {
			for (const record of records) {
				const from = (await record.processed()).length;
				const isThere = async (): Promise<boolean> => (await record.processed()).length >= from + BETWEEN;
				await until(isThere, { timeoutMs: 60_000, everyMs: 200, what: `${BETWEEN} more fills ${what}`, seen });
			}
		};
		const whileGone = async (): Promise<void> => {
			const from = driver.made();
			await until(() => driver.made() >= from + BETWEEN, { timeoutMs: 60_000, what: 'fills nobody listens to' });
		};
		const stop = async (signal: NodeJS.Signals): Promise<void> => {
			await bench.n8n.kill(signal);
			stops.push(Date.now());
		};
		await goOn('at first');
		await stop('SIGTERM');
		await bench.n8n.restart();
		await goOn('after a restart');
		await stop('SIGKILL');
		await whileGone();
		await bench.n8n.restart();
		await goOn('after a kill');
		for (const id of workflows) await bench.n8n.unpublish(id);
		stops.push(Date.now());
		await whileGone();
		for (const id of workflows) await bench.n8n.publish(id);
		await goOn('after a pause');
		bench.sandbox().faults.arm({ kind: 'drop-stream' });
		await goOn('after a lost connection');
		await bench.restartSandbox();
		await goOn('after a restart of the service');
		await stop('SIGKILL');
		await driver.stop();
		await bench.n8n.restart();

		const owed = (await truth()).filter((fill) => !before.has(fill));
		for (const record of records) {
			const none = async (): Promise<boolean> => {
				const done = new Set((await record.processed()).map(({ data }) => data.id));
				return owed.every((fill) => done.has(fill));
			};
			await until(none, { timeoutMs: 60_000, everyMs: 500, what: `each of ${owed.length} fills`, seen });
			const repeated = await record.repeated();
			process.stderr.write(
				`${owed.length} fills; ${repeated.length} repeated; ${record.crashed()} crashed executions\n`,
			);
			const inHand = stops.flatMap((at) => record.lastBefore(at)).map(({ eventKey }) => eventKey);
			expect(repeated.filter((key) => !inHand.includes(key))).toEqual([]);
		}
		expect(bench.n8n.log()).not.toContain(KEY);
	});
});

/** What the executions of a workflow have processed to the end. */
function recorder({ n8n }: Bench, workflowId: string) {
	const known = new Map<string, Execution>();
	const done = (): Execution[] => [...known.values()].filter(({ status }) => status === 'success');
	const eventsOf = ({ itemsOf }: Execution): Event[] => itemsOf('End').map(({ json }) => json as unknown as Event);
	const processed = async (pagesMax = NEWEST_PAGES): Promise<Event[]> => {
		const rows = await finishedExecutions(n8n.api, workflowId, pagesMax);
		for (const { id, mode } of rows)
			if (!known.has(id) && mode === 'trigger') known.set(id, await readExecution(n8n.api, id));
		return done().flatMap(eventsOf);
	};
	return {
		processed,
		repeated: async (): Promise<string[]> => {
			const keys = (await processed(Infinity)).map(({ eventKey }) => eventKey);
			return keys.filter((key, index) => keys.indexOf(key) < index);
		},
		/**
		 * What the last executions begun before a stop had worked on. n8n ends those it was at, or runs them when it is
		 * back; a position is written with the next emit, and not even then if the one before was still being written.
		 */
		lastBefore: (at: number): Event[] => {
			const before = done().filter((run) => Date.parse(run.createdAt) < at && eventsOf(run).length > 0);
			return before
				.sort((a, b) => Number(b.id) - Number(a.id))
				.slice(0, IN_HAND_MAX)
				.flatMap(eventsOf);
		},
		crashed: (): number => [...known.values()].filter(({ status }) => status === 'crashed').length,
	};
}

/** Makes fills at a steady rate; while the service is away there are none. */
function drive(makeFill: () => Promise<void>) {
	let made = 0;
	let underWay: Promise<void> | undefined;
	const make = async (): Promise<void> => {
		await makeFill().then(
			() => (made += 1),
			() => undefined,
		);
		underWay = undefined;
	};
	const timer = setInterval(() => {
		if (made < FILLS_MAX) underWay ??= make();
	}, FILL_EVERY_MS);
	return {
		made: () => made,
		stop: async (): Promise<void> => {
			clearInterval(timer);
			await underWay;
		},
	};
}
