/**
 * Both triggers in a complete n8n that starts while the service is away, or whose key is refused. By hand with other
 * times: `AWAY_SECONDS=300 REFUSED_SECONDS=600 npm run test:n8n -- one-n8n -t 'both triggers'`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../support/condition';
import { fillsIn, makeFill } from '../../support/fills';
import { KEY, listening, type Bench } from './bench';
import { openCommonBench } from './common-bench';
import { recorder, type Recorder } from './recorder';

/** n8n 2 tries an activation for 15 seconds and then leaves it. */
const AWAY_SECONDS = Number(process.env['AWAY_SECONDS'] ?? 20);
/** The least time; in any case the key is refused until n8n was told. */
const REFUSED_SECONDS = Number(process.env['REFUSED_SECONDS'] ?? 1);
/** A refused connection is tried again at pauses that double, up to ten minutes. */
const WAIT_MS = 240_000 + 2_000 * REFUSED_SECONDS;
const ALWAYS = 1_000_000;
const END = { name: 'End', type: 'n8n-nodes-base.noOp' };

jest.setTimeout(4 * WAIT_MS);

describe('both triggers in a complete n8n', () => {
	let folder: string;
	let bench: Bench;
	let fills: string;
	let wallet: string;
	let errorWorkflow: string;
	let record: Recorder;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'waiting-'));
		bench = await openCommonBench({ data: join(folder, 'exchange.db'), settings: { orderDelayMs: 0 } });
		const onError = { name: 'On Error', type: 'n8n-nodes-base.errorTrigger' };
		errorWorkflow = await bench.save('Errors', [onError, END]);
		await bench.n8n.publish(errorWorkflow).catch(() => undefined);
		const settings = { errorWorkflow };
		fills = await bench.save('Fills', [listening({ topics: ['user.fills'] }), END], undefined, settings);
		wallet = await bench.save('Wallet', [watching, END], undefined, settings);
		for (const id of [fills, wallet]) await bench.n8n.publish(id);
		record = recorder(bench, fills);
		await makeFill(bench.sandbox());
		await waitFor('the first fill', async () => (await record.fills()).length === 1);
	});
	afterAll(async () => {
		await bench?.close();
		await rm(folder, { recursive: true, force: true });
	});

	const waitFor = async (what: string, condition: () => boolean | Promise<boolean>): Promise<unknown> =>
		await until(condition, { timeoutMs: WAIT_MS, everyMs: 500, what, seen: () => bench.n8n.log().slice(-1500) });
	const pass = async (seconds: number): Promise<unknown> => {
		const began = Date.now();
		return await until(() => Date.now() - began > 1_000 * seconds, { timeoutMs: 2_000 * seconds, what: 'the time' });
	};
	const errorsTold = async (id: string): Promise<number> =>
		(await bench.n8n.waitForExecutions(errorWorkflow, 0)).filter(({ stored }) => stored.includes(id)).length;
	/** Each change of a transaction the alert trigger told. */
	const walletEvents = async (): Promise<{ id: string; status: string }[]> =>
		(await bench.n8n.waitForExecutions(wallet, 0)).flatMap((run) =>
			run.itemsOf('Wallet').map(({ json }) => json as unknown as { id: string; status: string }),
		);
	const deposit = async (amount: string): Promise<string> => {
		const body = JSON.stringify({ email: 'trader@sandbox.test', amount, currency: 'NGN' });
		const headers = { 'content-type': 'application/json' };
		const { baseUrl } = bench.sandbox();
		const answer = await fetch(`${baseUrl}/simulate/fiat/deposits`, { method: 'POST', headers, body });
		if (!answer.ok) throw new Error(await answer.text());
		return amount;
	};
	/** Every fill and deposit was told, each once. */
	async function allToldOnce(amounts: string[]): Promise<void> {
		const owed = (await fillsIn(bench.sandbox())).sort();
		await waitFor('every fill', async () => (await record.fills()).length >= owed.length);
		const reports = (events: object[]): unknown[] => events.map((event) => (event as { amount: string }).amount);
		await waitFor('every deposit', async () => {
			const seen = reports(await walletEvents());
			return amounts.every((amount) => seen.includes(amount));
		});
		expect(await record.fills()).toEqual(owed);
		expect(await record.repeated()).toEqual([]);
		const changes = (await walletEvents()).map(({ id, status }) => `${id} ${status}`);
		expect(changes).toHaveLength(new Set(changes).size);
	}

	it('both triggers wait for a service that is away when n8n starts, and report what they missed once', async () => {
		await bench.n8n.kill('SIGTERM');
		await makeFill(bench.sandbox());
		const amounts = [await deposit('11.00')];
		await bench.stopSandbox();
		await bench.n8n.restart();
		const isWaiting = (): boolean => bench.n8n.log().includes('Fills: The trigger does not listen yet');
		// A busy n8n may try its triggers only after that time.
		await waitFor('the trigger to try, and to say that it waits', isWaiting);
		await pass(AWAY_SECONDS);
		await bench.restartSandbox();
		await makeFill(bench.sandbox());
		amounts.push(await deposit('12.00'));
		await allToldOnce(amounts);
		expect(await errorsTold(fills)).toBe(0);
	});

	it('both triggers run the error workflow once each for a refused key, and resume when it is accepted again', async () => {
		const before = await Promise.all([fills, wallet].map(errorsTold));
		const arm = (kind: 'unauthorized' | 'refuse-stream'): number =>
			bench.sandbox().faults.arm({ kind, times: ALWAYS, ...(kind === 'unauthorized' ? { apiKey: KEY } : {}) }).id;
		const faults = [arm('unauthorized'), arm('refuse-stream')];
		bench.sandbox().faults.arm({ kind: 'drop-stream' });
		const amounts = [await deposit('13.00')];
		const began = Date.now();
		for (const [index, id] of [fills, wallet].entries())
			await waitFor('the error workflow', async () => (await errorsTold(id)) > before[index]!);
		await pass(Math.max(0, REFUSED_SECONDS - (Date.now() - began) / 1_000));
		faults.forEach((id) => bench.sandbox().faults.disarm(id));
		await makeFill(bench.sandbox());
		amounts.push(await deposit('14.00'));
		await allToldOnce(amounts);
		expect(await Promise.all([fills, wallet].map(errorsTold))).toEqual(before.map((count) => count + 1));
		// The advice names the key that every sandbox has; nowhere else does the log hold it.
		expect(bench.n8n.log().replaceAll(`Take a key of the sandbox on this machine: ${KEY}`, '')).not.toContain(KEY);
	});
});

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
