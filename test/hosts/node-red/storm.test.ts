/**
 * Thousands of fills in a real Node-RED under every disturbance; the result is read from the file the flow writes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployType, FlowNode } from '../../support/node-red';
import { until } from '../../support/condition';
import { account, node, openBench, tab, type Bench } from '../../node-red/flows';
import { tradingOn, type Trading } from '../../node-red/trading';

const FILLS = 5_000;
const PER_SECOND = 2_000;
const STEP_MS = 20;
/** While more fills than these are in flight, none are made. */
const UNDER_WAY_MAX = 1_000;
const CHECKED_EVERY = 250;
/** A busy machine processes a hundred fills a second. */
const STAGE_MS_MAX = 600_000;

jest.setTimeout(9 * STAGE_MS_MAX);

describe('an events node under 2,000 fills a second', () => {
	let bench: Bench;
	let trading: Trading;
	let record: string;
	const recorded = async (): Promise<string[]> =>
		(await readFile(record, 'utf8').catch(() => '')).split('\n').filter(Boolean);

	beforeAll(async () => {
		// The test helper would report each message to the test; the flow's file is enough.
		bench = await openBench(
			{
				settings: { orderDelayMs: 0 },
				requestsPerSecond: 10_000,
				eventsKept: 2 * FILLS,
			},
			{ settings: { nodesDir: [] } },
		);
		trading = tradingOn(bench.sandbox);
		record = join(bench.nodeRed.userDir, 'fills.txt');
	});
	afterAll(async () => await bench.close());

	it('an events node at 2,000 fills a second loses none through deploys of every kind, a restart and a kill', async () => {
		let version = 0;
		const flows = (change: { node?: boolean }): FlowNode[] => {
			version += 1;
			return [
				tab,
				account(bench.sandbox),
				...node('listen', 'events', { topics: ['user.fills'], name: change.node ? `version ${version}` : '' }, 0).map(
					(node) => ({ ...node, wires: [['take-id']] }),
				),
				{
					id: 'take-id',
					type: 'change',
					z: tab.id,
					name: `version ${version}`,
					rules: [{ t: 'set', p: 'payload', pt: 'msg', to: 'payload.id', tot: 'msg' }],
					wires: [['keep']],
				},
				{
					id: 'keep',
					type: 'file',
					z: tab.id,
					filename: record,
					filenameType: 'str',
					appendNewline: true,
					overwriteFile: 'false',
					wires: [[]],
				},
			];
		};
		const deploy = async (type: DeployType, change = {}): Promise<void> =>
			await bench.nodeRed.deploy(flows(change), type);
		await deploy('full');
		await until(() => /Started flows/.test(bench.nodeRed.log()), { what: 'the flows' });
		await until(async () => (trading.fills(1), (await recorded()).length > 0), {
			what: 'the first fill',
			everyMs: 200,
		});
		// Trades made before the node first connected are not expected.
		const notOwed = new Set(await trading.truth());

		const disturbances: (() => Promise<void>)[] = [
			async () => await deploy('nodes'),
			async () => await deploy('flows'),
			async () => await deploy('full'),
			async () => await deploy('nodes', { node: true }),
			async () => await bench.nodeRed.restart('SIGTERM'),
			async () => await deploy('full', { node: true }),
			async () => await bench.nodeRed.restart('SIGKILL'),
			async () => await deploy('nodes'),
		];
		const storm = tradeSteadily(trading, async () => new Set(await recorded()).size);
		const startedAt = Date.now();
		for (const disturb of disturbances) {
			await until(() => storm.made() >= (FILLS / (disturbances.length + 1)) * (disturbances.indexOf(disturb) + 1), {
				what: 'the next disturbance',
				timeoutMs: STAGE_MS_MAX,
			});
			await disturb();
		}
		await storm.ended;
		const endedAt = Date.now();

		const truth = (await trading.truth()).filter((id) => !notOwed.has(id));
		expect(truth.length).toBeGreaterThanOrEqual(FILLS);
		const missing = async (): Promise<number> => {
			const seen = new Set(await recorded());
			return truth.filter((id) => !seen.has(id)).length;
		};
		await until(async () => (await missing()) === 0, {
			what: 'every fill in the record',
			timeoutMs: STAGE_MS_MAX,
			everyMs: 500,
			seen: () => ({ log: bench.nodeRed.log().slice(-1500) }),
		}).catch(async (error) => {
			throw new Error(`${await missing()} of ${truth.length} are missing. ${String(error)}`);
		});
		const lines = await recorded();
		const repeated = lines.length - new Set(lines).size;
		const perSecond = Math.round(FILLS / ((endedAt - startedAt) / 1000));
		process.stderr.write(
			`${truth.length} fills at ${perSecond} a second, ${lines.length} in the record, ${repeated} of them repeated\n`,
		);
	});
});

/**
 * Trades at the agreed rate. On a machine too slow for it, trading pauses while many events are in flight: the test
 * shows that nothing is lost, not how fast the machine is.
 */
function tradeSteadily(
	trading: Trading,
	recorded: () => Promise<number>,
): { made: () => number; ended: Promise<void> } {
	let made = 0;
	const ended = (async () => {
		for (let at = Date.now(); made < FILLS; await pause(STEP_MS)) {
			const due = Math.min(FILLS - made, Math.floor(((Date.now() - at) * PER_SECOND) / 1000));
			at += (due / PER_SECOND) * 1000;
			if (due > 0) trading.fills(due);
			made += due;
			while (made % CHECKED_EVERY < due && made - (await recorded()) > UNDER_WAY_MAX) {
				await pause(STEP_MS);
				at = Date.now();
			}
		}
	})();
	return { made: () => made, ended };
}

const pause = async (durationMs: number): Promise<void> =>
	await new Promise((resolve) => setTimeout(resolve, durationMs));
