/** Fills in a complete n8n under every disturbance; the result is read from n8n's own executions. */
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { isN8n1 } from '../../../scripts/hosts/versions';
import { until } from '../../support/condition';
import { fillsIn, makeFill } from '../../support/fills';
import { silence, startWire, type Wire } from '../../support/wire';
import { KEY, listening, openBench } from './bench';
import { recorder, type Recorder } from './recorder';
import { newFolder } from '../../support/folder';
import { forAll } from '../../support/opened';

const FILL_EVERY_MS = 150;
/** Fills made and processed between two disturbances. */
const BETWEEN = 5;
/** About every third workflow of a stop that lost the write under way repeated an event. */
const STOPPED = Array.from({ length: 8 }, (_, index) => `Stopped ${index}`);
const WAIT_MS = 120_000;

jest.setTimeout(600_000);

type StaticData = { global?: Record<string, { value?: { idle?: boolean } }> };

describe('fills in a complete n8n', () => {
	const wire = forAll(startWire);
	// However slow the machine is, n8n ends by itself when it is told to stop.
	const env = { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '50' };
	const data = join(newFolder(), 'exchange.db');
	const bench = forAll(() => openBench({ data, settings: { orderDelayMs: 0 } }, { env }));

	const fill = async (): Promise<void> => await makeFill(bench.sandbox());
	/** All fills except those that existed before the test, sorted. */
	const truth = async (before: string[] = []): Promise<string[]> =>
		(await fillsIn(bench.sandbox())).filter((id) => !before.includes(id)).sort();
	const end = { name: 'End', type: 'n8n-nodes-base.noOp' };
	const listen = async (
		name: string,
		options: Record<string, unknown> = {},
		node: typeof end = end,
	): Promise<string> => {
		const id = await bench.save(name, [listening({ topics: ['user.fills'], options }), node]);
		await bench.n8n.publish(id);
		return id;
	};
	const staticData = async (id: string): Promise<StaticData | null> =>
		(await bench.n8n.api<{ staticData: StaticData | null }>('GET', `/rest/workflows/${id}`)).staticData;
	const isWritten = async (id: string): Promise<boolean> =>
		Object.values((await staticData(id))?.global ?? {}).some(({ value }) => value?.idle === true);
	const waitFor = async (what: string, condition: () => boolean | Promise<boolean>): Promise<unknown> =>
		await until(condition, { timeoutMs: WAIT_MS, everyMs: 300, what, seen: () => bench.n8n.log().slice(-1500) });
	const waitForFills = async (record: Recorder, owed: string[]): Promise<unknown> =>
		await waitFor(`each of ${owed.length} fills`, async () => {
			const done = new Set(await record.fills());
			return owed.every((id) => done.has(id));
		});

	it('answers an editor test with a real fill, and takes nothing from the published workflow', async () => {
		const id = await listen('Tested');
		const record = recorder(bench, id);
		await fill();
		await waitFor('the first fill to be written down', async () => await isWritten(id));
		const stored = await staticData(id);
		const test = await bench.n8n.runManually(id, 'Fills');
		expect(test).toMatchObject({ status: 'success', mode: 'manual' });
		expect(test.itemsOf('End').map(({ json }) => (json['data'] as { id: string }).id)).toEqual(await truth());
		expect(await staticData(id)).toEqual(stored);
		await fill();
		await waitForFills(record, await truth());
		expect(await record.fills()).toEqual(await truth());
		await bench.n8n.unpublish(id);
	});

	/** n8n 1 has no execution keys: the end of the last execution is not stored, so a kill repeats it (docs/n8n.md). */
	const writesEnds = !isN8n1();

	it('processes every fill once, whatever happens between two executions or within one', async () => {
		const before = await truth();
		const workflows = [await listen('Gathered'), await listen('One by one', { eventsPerExecution: 1 })];
		const records = workflows.map((id) => recorder(bench, id));
		const driver = drive(fill);
		const followUp = async (what: string): Promise<void> => {
			const counted = async (): Promise<number[]> =>
				await Promise.all(records.map(async (record) => (await record.processed()).length));
			const from = await counted();
			driver.begin();
			await waitFor(`more fills ${what}`, async () =>
				(await counted()).every((count, index) => count >= from[index]! + BETWEEN),
			);
		};
		/** Makes fills while no trigger listens, and none while n8n starts. */
		const whileGone = async (): Promise<void> => {
			driver.begin();
			const from = driver.made();
			await waitFor('fills nobody listens to', () => driver.made() >= from + BETWEEN);
			await driver.pause();
		};
		await followUp('at first');
		for (const id of workflows) await bench.n8n.unpublish(id);
		await whileGone();
		for (const id of workflows) await bench.n8n.publish(id);
		await followUp('after a pause');
		bench.sandbox().faults.arm({ kind: 'drop-stream' });
		await followUp('after a lost connection');
		await bench.restartSandbox();
		await followUp('after a restart of the service');

		// The kill comes between two executions of these, and within one of the third.
		// A fill that is made while the workflow is published is not owed to it.
		await driver.pause();
		const beforeCut = await truth();
		wire.on('GET /desk', silence, { body: '{}' });
		const cutId = await listen('Cut', {}, asking(wire));
		const cut = recorder(bench, cutId);
		await followUp('before the kill');
		await waitFor('an execution to be in the middle', () => wire.calls('GET /desk').length > 0);
		await driver.pause();
		for (const record of records) await waitForFills(record, await truth(before));
		for (const id of writesEnds ? workflows : [])
			await waitFor('the checkpoint to be written', async () => await isWritten(id));
		await bench.n8n.kill();
		await whileGone();
		await bench.n8n.restart();
		await followUp('after the kill');
		await driver.pause();
		for (const record of records) {
			await waitForFills(record, await truth(before));
			expect(writesEnds ? await record.repeated() : []).toEqual([]);
		}
		// The execution that the kill interrupted runs again, once, with what came after it.
		await waitForFills(cut, await truth(beforeCut));
		expect(await cut.fills()).toEqual(await truth(beforeCut));
		expect(cut.crashed()).toBe(1);
		for (const id of [...workflows, cutId]) await bench.n8n.unpublish(id);
		expect(bench.n8n.log()).not.toContain(KEY);
	});

	it('processes every fill once, in whatever moment n8n is told to stop, and where an execution outlives its trigger', async () => {
		const before = await truth();
		const pending: ServerResponse[] = [];
		let answersAtOnce = false;
		wire.on('GET /slow', (_request, response) => void (answersAtOnce ? response.end() : pending.push(response)));
		const slowId = await listen('Slow', {}, asking(wire, 'slow'));
		await fill();
		await waitFor('the first execution', () => pending.length === 1);
		await bench.n8n.unpublish(slowId);
		await fill();
		await bench.n8n.publish(slowId);
		pending[0]!.end();
		await waitFor('the second execution', () => pending.length === 2);
		const beforeStop = await truth();
		const stopped: string[] = [];
		for (const name of STOPPED) stopped.push(await listen(name));
		const driver = drive(fill);
		driver.begin();
		await waitFor('fills', () => driver.made() >= BETWEEN);
		const ended = bench.n8n.kill('SIGTERM');
		await waitFor('n8n to wait for it', () => /Waiting for \d+ active executions/.test(bench.n8n.log()));
		answersAtOnce = true;
		pending[1]!.end();
		await ended;
		await driver.pause();
		await bench.n8n.restart();
		const slow = recorder(bench, slowId);
		await waitForFills(slow, await truth(before));
		expect(await slow.fills()).toEqual(await truth(before));
		for (const record of stopped.map((id) => recorder(bench, id))) {
			await waitForFills(record, await truth(beforeStop));
			expect(await record.repeated()).toEqual([]);
		}
		for (const id of [slowId, ...stopped]) await bench.n8n.unpublish(id);
	});
});

/** Asks a desk that takes a while to respond. */
const asking = ({ url }: Wire, whom = 'desk') => ({
	name: 'End',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: { url: `${url}/${whom}` },
});

/** Makes fills at a steady rate, twice as many as are waited for; none are made while the service is down. */
function drive(make: () => Promise<void>) {
	let [made, most] = [0, 0];
	let timer: NodeJS.Timeout | undefined;
	let underWay: Promise<void> | undefined;
	const next = async (): Promise<void> => {
		await make().then(
			() => (made += 1),
			() => undefined,
		);
		underWay = undefined;
	};
	return {
		made: () => made,
		begin: () => {
			clearInterval(timer);
			most = made + 2 * BETWEEN;
			timer = setInterval(() => {
				if (made < most) underWay ??= next();
			}, FILL_EVERY_MS).unref();
		},
		pause: async () => {
			clearInterval(timer);
			await underWay;
		},
	};
}
