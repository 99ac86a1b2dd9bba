import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../support/folder';
import { until } from '../support/condition';
import { forAll } from '../support/opened';

const root = join(__dirname, '../..');
const folder = join(root, 'examples/core');
const scripts = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const LINES_MAX = 40;
const CLOSELY = ['bot.ts', 'place-and-wait.ts', 'tracing.ts'];

/** The output of each example that is not looked at more closely, whatever the market does. */
const prints: Record<string, RegExp[]> = {
	'follow-fills.ts': [/^(live|replayed|reconciled): \d+\.\d+ USD at \d+\.\d+$/m],
	'watch-market.ts': [/^trades\.USD_NGN: \d+\.\d+ at \d+\.\d+$/m, /^A wildcard topic brings what is live/m],
	'list-everything.ts': [/^Get Many Orders: \d+$/m, /^Get Trades: [1-9]\d*$/m, /^Get Banks: [1-9]\d*$/m],
	'make-market.ts': [/^(buy 5\.00 at \d+\.\d\d: accepted\nsell 5\.00 at \d+\.\d\d: accepted\n){2}$/],
	'payout.ts': [/^Landlord is [A-Z][^\n]+\n5000\.00 NGN: completed$/m],
	'errors.ts': [/^accepted\ncorrect quantity: .+$/m],
	'own-test.ts': [/^. pass 1$/m, /^. fail 0$/m],
	'deposit.ts': [/^Send NGN to .+ \d{10}\.$/m, /^Transaction \S+ is \w+\.$/m, /^NGN: \d+\.\d+ available$/m],
};

describe('the scripts in examples/core', () => {
	const sandbox = forAll(() => startSandbox({ marketMaker: true, seed: 7 }));

	const commandOf = (name: string, ...inputs: string[]) => ({
		env: { ...process.env, PARTNER_EXCHANGE_BASE_URL: sandbox.baseUrl },
		args: ['--import', 'tsx', join(folder, name), ...inputs],
	});
	const run = async (name: string): Promise<string> => {
		const { env, args } = commandOf(name);
		return (await promisify(execFile)(process.execPath, args, { env, cwd: root, timeout: 300_000 })).stdout;
	};
	/** How many orders of this quantity the exchange has. */
	async function placedOf(quantity: string): Promise<number> {
		const answer = await fetch(`${sandbox.baseUrl}/partner/exchange/orders?limit=100`, {
			headers: { 'x-api-key': 'sandbox-key' },
		});
		const { data } = (await answer.json()) as { data: { orders: { quantity: string }[] } };
		return data.orders.filter((order) => order.quantity === quantity).length;
	}

	it('runs every script of examples/core', () => {
		expect(scripts.filter((name) => name !== 'account.ts').sort()).toEqual([...Object.keys(prints), ...CLOSELY].sort());
	});

	it('the page of examples/core names each script, and the variables they read', () => {
		const page = readFileSync(join(folder, 'README.md'), 'utf8');
		for (const name of [...Object.keys(prints), ...CLOSELY]) expect(page).toContain(`\`${name}\``);
		const source = readFileSync(join(folder, 'account.ts'), 'utf8');
		const read = [...source.matchAll(/variable\('(\w+)'\)/g)].map(([, name]) => `PARTNER_EXCHANGE_${name}`);
		expect(read).toHaveLength(4);
		for (const name of read) expect(page).toContain(`\`${name}\``);
		expect(readFileSync(join(root, 'packages/core/src/node/check.ts'), 'utf8')).toContain("'PARTNER_EXCHANGE_API_KEY'");
	});

	it.each(Object.keys(prints))('the script %s does what it says', async (name) => {
		const printed = await run(name);
		for (const line of prints[name]!) expect(printed).toMatch(line);
	});

	it('tracing.ts makes a span for each request, with neither the key nor a query in it', async () => {
		const { env, args } = commandOf('tracing.ts');
		const collected = { ...env, NODE_OPTIONS: `--require=${join(root, 'test/support/spans.cjs')}` };
		const { stdout } = await promisify(execFile)(process.execPath, args, { env: collected, cwd: root });
		expect(stdout).toMatch(/^GET \/v1\/partner\/wallets\/balances\/overview answered 200$/m);
		expect(stdout).toMatch(
			/^span GET \/v1\/partner\/wallets\/balances\/overview \{"http.response.status_code":200\}$/m,
		);
		expect(stdout).not.toMatch(/sandbox-key|\?/);
	});

	it('place-and-wait.ts run twice for one invoice trades once', async () => {
		for (let time = 0; time < 2; time += 1)
			expect(await run('place-and-wait.ts')).toMatch(/^filled: 10\.00 USD at \d+\.\d+$/m);
		expect(await placedOf('10.00')).toBe(1);
	});

	it('bot.ts killed and started again buys once, and tells each fill', async () => {
		const home = newFolder();
		const heard: string[] = [];
		const start = (): ChildProcess => {
			const { env, args } = commandOf('bot.ts', 'invoice-7', home);
			const child = spawn(process.execPath, args, { env, cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
			child.stdout.setEncoding('utf8').on('data', (text: string) => void heard.push(text));
			return child;
		};
		const ended = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
			const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
			child.kill(signal);
			await gone;
		};
		const first = start();
		await until(() => /fill /.test(heard.join('')), { what: 'a fill' });
		await ended(first, 'SIGKILL');
		const second = start();
		await until(() => (heard.join('').match(/^invoice-7: filled$/gm) ?? []).length > 0, {
			what: 'the end of the order',
		});
		await ended(second, 'SIGTERM');
		expect(await placedOf('12.00')).toBe(1);
	});

	it.each(scripts)('the script %s fits on a screen', (name) => {
		expect(readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX);
	});
});
