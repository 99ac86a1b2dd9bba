import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openPort } from '../support/loopback';
import { freePort } from '../../scripts/hosts/ports';
import { startSandbox } from '../../scripts/hosts/sandbox';
import { until } from '../support/condition';
import { ask, exact, list, startDemo, withFolder } from '../support/demo';

interface Balances {
	balances: Array<{ currency: string; total: string }>;
}
interface Fill {
	quantity: string;
	quote_quantity: string;
	side: string;
}
interface Deposit {
	amount: string;
	status: string;
}
interface Books {
	fills: Fill[];
	deposits: Deposit[];
	balances: Record<string, bigint>;
}

const start = { script: 'start', portFlag: '--node-red-port' };
const root = join(__dirname, '..', '..');
const OPENING = { NGN: exact('50000000.00'), USD: exact('100000.00') };

/** The records of a finished demo's exchange, once no transaction is pending. */
async function booksOf(data: string): Promise<Books> {
	const { url, child } = await startSandbox({ root, port: await freePort(), dataFile: join(data, 'exchange.db') });
	const isSettled = async (): Promise<boolean> => {
		const orders = await list<{ status: string }>(url, '/exchange/orders', 'orders');
		const deposits = await list<Deposit>(url, '/wallets/transactions', 'transactions');
		const final = ['filled', 'cancelled', 'rejected', 'completed'];
		return [...orders, ...deposits].every(({ status }) => final.includes(status));
	};
	await until(isSettled, { what: 'every order and deposit to be final' });
	const fills = await list<Fill>(url, '/exchange/fills', 'fills');
	const deposits = await list<Deposit>(url, '/wallets/transactions', 'transactions');
	const { balances } = await ask<Balances>(url, '/wallets/balances/overview');
	await child.stop();
	const totals = Object.fromEntries(balances.map(({ currency, total }) => [currency, exact(total)]));
	return { fills, deposits, balances: totals };
}

const sum = (amounts: string[]): bigint => amounts.reduce((total, amount) => total + exact(amount), 0n);

describe('npm start', () => {
	it('npm start trades by itself, reports each event, leaves balances that add up exactly, and keeps the demo of an earlier version, saying so', async () => {
		await withFolder(async (data) => {
			const demo = await startDemo({ ...start, data });
			await demo.waitForLine(new RegExp(`Node-RED +${demo.hostUrl} `));
			await demo.waitForLine(/balance {8}NGN [\d.]+ +USD [\d.]+/);
			const [, orderId] = await demo.waitForLine(
				/\d\d:\d\d:\d\d {2}order placed {3}buy 10\.00 USD\/NGN at market \((.+)\)/,
			);
			await demo.waitForLine(new RegExp(`\\d {2}filled {9}buy [\\d.]+ USD/NGN at [\\d.]+ \\(${orderId}\\)`));
			for (const [button, line] of [
				['demo-quiet', /quiet {10}the timers rest until you press go on/],
				['demo-loud', /going on {7}the timers run again/],
			] as const) {
				await fetch(`${demo.hostUrl}/inject/${button}`, { method: 'POST' });
				await demo.waitForLine(line);
			}
			await demo.waitForLine(/ALERT {10}the NGN balance fell below/);
			await demo.waitForLine(/deposited {6}60000\.00 NGN/);
			expect(demo.lines().join('\n')).not.toContain('sandbox-key');
			expect(demo.lines().filter((line) => /problem|Node-RED: /.test(line))).toEqual([]);

			expect(await demo.interrupt()).toEqual({ code: 0, signal: null });
			await expect(fetch(demo.sandboxUrl)).rejects.toThrow();
			await expect(fetch(demo.hostUrl)).rejects.toThrow();

			const { fills, deposits, balances } = await booksOf(data);
			expect(fills.length).toBeGreaterThan(0);
			expect(fills.every(({ side }) => side === 'buy')).toBe(true);
			expect(balances['USD']).toBe(OPENING.USD + sum(fills.map(({ quantity }) => quantity)));
			const spent = sum(fills.map((fill) => fill.quote_quantity));
			expect(balances['NGN']).toBe(OPENING.NGN - spent + sum(deposits.map(({ amount }) => amount)));

			const again = await startDemo({ ...start, data });
			await again.waitForLine(/Your flows of the last start are kept/);
			await again.waitForLine(/filled {9}buy/);
			expect(again.lines().join('\n')).not.toContain('demo of this version');
			expect(await again.interrupt()).toEqual({ code: 0, signal: null });

			const file = join(data, 'node-red', 'flows.json');
			await writeFile(file, (await readFile(file, 'utf8')).replace(/("quantity": *)"10.00"/, '$1"11.00"'));
			const earlier = await startDemo({ ...start, data });
			await earlier.waitForLine(/The demo of this version differs from them: `--folder NAME` shows it in a new folder/);
			await earlier.waitForLine(/order placed {3}buy 11\.00/);
			expect(await earlier.interrupt()).toEqual({ code: 0, signal: null });
		});
	});

	it('npm start names every taken port and one command with other ports, and starts nothing', async () => {
		const servers = [createServer(), createServer()];
		const [sandboxPort, hostPort] = await Promise.all(servers.map(openPort));
		await withFolder(async (data) => {
			const demo = await startDemo({ ...start, data, sandboxPort, hostPort });
			for (const [port, purpose] of [
				[sandboxPort!, 'the sandbox exchange'],
				[hostPort!, 'Node-RED'],
			] as const)
				await demo.waitForLine(new RegExp(`Port ${port} on 127.0.0.1, meant for ${purpose}, is already taken`));
			const others = `--sandbox-port ${sandboxPort! + 1} --node-red-port ${hostPort! + 1}`;
			await demo.waitForLine(new RegExp(`npm start -- ${others}`));
			expect((await demo.interrupt()).code).toBe(1);
		});
		servers.forEach((server) => server.close());
	});

	it('a port that is taken after the check is told with the flag of the start script', async () => {
		const other = createServer();
		const port = await openPort(other);
		const started = startSandbox({ root, port, command: 'npm start' });
		const problem = await started.then(String, String).finally(() => other.close());
		expect(problem).toContain(`npm start -- --sandbox-port ${port + 1}`);
	});
});
