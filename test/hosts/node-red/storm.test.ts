/**
 * Thousands of fills in a real Node-RED under every disturbance; the result is read from the file the flow writes.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployType, FlowNode } from '../../support/node-red';
import { until } from '../../support/condition';
import { account, node, openBench, tab } from '../../node-red/flows';
import { tradingOn, type Trading } from '../../node-red/trading';
import { forAll } from '../../support/opened';

const FILLS = 5_000;
const BURST = 50;
/** While more fills than these are under way, none are made, so that the machine decides how many come in a second. */
const UNDER_WAY_MAX = 1_000;
/** A busy machine processes a hundred fills a second. */
const STAGE_MS_MAX = 600_000;

jest.setTimeout(9 * STAGE_MS_MAX);

describe('an events node with a thousand fills under way', () => {
	const exchange = { settings: { orderDelayMs: 0 }, requestsPerSecond: 10_000, eventsKept: 2 * FILLS };
	// The test helper would report each message to the test; the flow's file is enough.
	const bench = forAll(() => openBench(exchange, { settings: { nodesDir: [] } }));
	const trading = forAll(() => tradingOn(bench.sandbox));
	let record: string;
	const recorded = async (): Promise<string[]> =>
		(await readFile(record, 'utf8').catch(() => '')).split('\n').filter(Boolean);

	beforeAll(() => void (record = join(bench.nodeRed.userDir, 'fills.txt')));

	it('loses none through deploys of every kind, a restart and a kill', async () => {
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
		const storm = trade(trading, async () => new Set(await recorded()).size);
		for (const disturb of disturbances) {
			await until(() => storm.made() >= (FILLS / (disturbances.length + 1)) * (disturbances.indexOf(disturb) + 1), {
				what: 'the next disturbance',
				timeoutMs: STAGE_MS_MAX,
			});
			await disturb();
		}
		await storm.ended;

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
	});
});

/** Trades as fast as the flow takes the fills. */
function trade(trading: Trading, recorded: () => Promise<number>): { made: () => number; ended: Promise<void> } {
	let made = 0;
	const ended = (async () => {
		while (made < FILLS) {
			trading.fills(BURST);
			made += BURST;
			await until(async () => made - (await recorded()) <= UNDER_WAY_MAX, {
				what: 'room for more fills',
				timeoutMs: STAGE_MS_MAX,
			});
		}
	})();
	return { made: () => made, ended };
}
