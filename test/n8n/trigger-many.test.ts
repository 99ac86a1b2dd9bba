/** Many triggers of one account that resume when n8n starts, each from a different position. */
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { until } from '../support/condition';
import { fillsIn, makeFill } from '../support/fills';
import { endedIn, startProcess, type Database, type Process } from './processes';

const TRIGGERS = 50;
const FILLS = 10;
const READS_MAX = 10;

let sandbox: Sandbox;
let running: Process[] = [];
beforeEach(async () => {
	sandbox = await startSandbox({ marketMaker: false, settings: { orderDelayMs: 0 }, requestsPerSecond: 10_000 });
});
afterEach(async () => {
	await Promise.all(running.splice(0).map(({ trigger }) => trigger.close()));
	await sandbox.close();
});

const reads = (): number =>
	sandbox.requests.filter(({ method, path }) => method === 'GET' && /fills/.test(path)).length;

/** One process whose workflows are activated one after the other. */
async function startAll(databases: (Database | undefined)[]): Promise<Process[]> {
	for (const [index, database] of databases.entries()) {
		const beside = running[0] ? { node: running[0].node, workflowId: `workflow-${index}` } : {};
		running.push(await startProcess(sandbox, { ...(database ? { database } : {}), ...beside }));
	}
	return [...running];
}

const stop = async (process: Process): Promise<void> => {
	running = running.filter((entry) => entry !== process);
	await process.trigger.close();
};

it('many triggers lose nothing and start nothing twice, with few readings of what they missed', async () => {
	const before = await startAll(Array.from({ length: TRIGGERS }, () => undefined));
	for (let made = 1; made <= FILLS; made += 1) {
		await makeFill(sandbox);
		await until(() => running.every(({ database }) => endedIn(database).length === made), { what: `fill ${made}` });
		// This many stop here; the others receive more fills.
		for (const process of running.slice(0, TRIGGERS / FILLS)) await stop(process);
	}
	await makeFill(sandbox);
	const readBefore = reads();
	const after = await startAll(before.map(({ database }) => database));
	const owed = (await fillsIn(sandbox)).sort();
	expect(owed).toHaveLength(FILLS + 1);
	await until(() => after.every(({ database }) => endedIn(database).length >= owed.length), {
		what: 'what was missed',
	});
	const ended = ({ database }: Process): string[] => endedIn(database).map((key) => key.split(':')[1]!);
	for (const each of after) expect(ended(each).sort()).toEqual(owed);
	// The test itself reads the list twice to know which fills to expect.
	expect(reads() - readBefore - 2).toBeLessThanOrEqual(READS_MAX);
});
