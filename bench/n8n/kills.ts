import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../scripts/hosts/condition';
import { finishedExecutions } from '../../scripts/hosts/executions';
import { pack } from '../../scripts/hosts/package';
import { countEnds, type Ends } from './ends';
import { fillsIn } from '../../test/support/fills';
import { openMarket, type Market } from './market';
import { openHost, type Host } from './host';

const KILLS_MAX = 200;
/** How long n8n works between the first execution after a start and the next kill. */
const WORK_MS_MAX = 2_000;
/** Fills made while n8n is away. */
const MISSED = 5;
/** Repeated fills that are told one by one. */
const TOLD_MAX = 20;
const WAIT_MS = 120_000;

/** Kills n8n under load so many times and prints how often each fill was processed to an end. */
export async function run(kills: number, tarball?: string): Promise<void> {
	if (!(kills > 0 && kills <= KILLS_MAX)) throw new Error(`Name a number of kills between 1 and ${KILLS_MAX}`);
	const folder = await mkdtemp(join(tmpdir(), 'kills-'));
	const market = await openMarket(join(folder, 'exchange.db'));
	try {
		const host = await openHost(folder, tarball ?? (await pack(join(__dirname, '..', '..'), folder)), market.sandbox);
		try {
			report(kills, await measure(host, market, kills));
		} finally {
			await host.stop();
		}
	} finally {
		await market.close();
		await rm(folder, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function measure(host: Host, market: Market, kills: number): Promise<Ends[]> {
	const killedAt: number[] = [];
	for (let count = 1; count <= kills; count += 1) {
		market.begin();
		await working(host);
		await new Promise((resolve) => setTimeout(resolve, Math.random() * WORK_MS_MAX));
		killedAt.push(Date.now());
		await host.kill();
		await market.pause();
		await market.rush(MISSED);
		process.stderr.write(`kill ${count} of ${kills}\n`);
		await host.start();
	}
	const owed = await fillsIn(market.sandbox);
	return await Promise.all(host.workflows.map((workflow) => countEnds(host.api, workflow, owed, killedAt)));
}

/** Waits until every workflow processed something since the start. */
async function working({ api, workflows }: Host): Promise<void> {
	const newest = async (id: string): Promise<number> => Number((await finishedExecutions(api, id, 1))[0]?.id ?? 0);
	for (const { id } of workflows) {
		const before = await newest(id);
		await until(async () => (await newest(id)) > before, { timeoutMs: WAIT_MS, everyMs: 100, what: 'an execution' });
	}
}

function report(kills: number, counted: Ends[]): void {
	for (const { name, fills, never, once, repeated, crashed } of counted) {
		const line = `${name}: ${fills} fills, ${kills} kills; ended 0 times ${never}, once ${once}, more ${repeated.length}`;
		process.stdout.write(`${line}; ${crashed} crashed executions\n`);
		for (const how of repeated.slice(0, TOLD_MAX)) process.stdout.write(`    ${how}\n`);
	}
}
