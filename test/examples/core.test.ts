import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';

const root = join(__dirname, '../..');
const folder = join(root, 'examples/core');
const scripts = readdirSync(folder).filter((name) => name.endsWith('.ts'));
const LINES_MAX = 27;

/** The output of each example, whatever the market does. */
const prints: Record<string, RegExp[]> = {
	'place-and-wait.ts': [/^filled: 10\.00 USD at \d+\.\d+$/m],
	'follow-fills.ts': [/^(live|replayed|reconciled): \d+\.\d+ USD at \d+\.\d+$/m],
	'watch-market.ts': [/^trades\.USD_NGN: \d+\.\d+ at \d+\.\d+$/m, /^A wildcard topic brings what is live/m],
	'list-everything.ts': [/^Get Many Orders: \d+$/m, /^Get Trades: [1-9]\d*$/m, /^Get Banks: [1-9]\d*$/m],
	'deposit.ts': [/^Send NGN to .+ \d{10}\.$/m, /^Transaction \S+ is \w+\.$/m, /^NGN: \d+\.\d+ available$/m],
};

describe('the scripts in examples/core', () => {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ marketMaker: true, seed: 7 });
	});
	afterAll(async () => await sandbox.close());

	const run = async (name: string): Promise<string> => {
		const env = { ...process.env, PARTNER_EXCHANGE_BASE_URL: sandbox.baseUrl, PARTNER_EXCHANGE_WS_URL: sandbox.wsUrl };
		const args = [
			join(root, 'node_modules/tsx/dist/cli.mjs'),
			'--tsconfig',
			join(root, 'tsconfig.json'),
			join(folder, name),
		];
		return (await promisify(execFile)(process.execPath, args, { env, timeout: 300_000 })).stdout;
	};

	it('runs every script of examples/core', () => {
		expect(scripts.filter((name) => name !== 'account.ts').sort()).toEqual(Object.keys(prints).sort());
	});

	it('the page of examples/core names each script, and the variables they read', () => {
		const page = readFileSync(join(folder, 'README.md'), 'utf8');
		for (const name of Object.keys(prints)) expect(page).toContain(`\`${name}\``);
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

	it('place-and-wait.ts run twice for one invoice trades once', async () => {
		expect(await run('place-and-wait.ts')).toMatch(/^filled: 10\.00/m);
		expect(await run('place-and-wait.ts')).toMatch(/^filled: 10\.00/m);
		const answer = await fetch(`${sandbox.baseUrl}/partner/exchange/orders?limit=100`, {
			headers: { 'x-api-key': 'sandbox-key' },
		});
		const { data } = (await answer.json()) as { data: { orders: { quantity: string }[] } };
		expect(data.orders.filter(({ quantity }) => quantity === '10.00')).toHaveLength(1);
	});

	it.each(scripts)('the script %s fits on a screen', (name) => {
		expect(readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(LINES_MAX);
	});
});
