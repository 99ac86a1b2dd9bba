import { createServer, type Server } from 'node:http';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationIds, operationOf, resume, wildcard, type Field } from '@partner-exchange/core/catalogue';
import type { Clock } from '@partner-exchange/core';
import { nodePorts, systemClock } from '@partner-exchange/core/node';
import { dialects, startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { newFolder } from '../support/folder';
import { openPort } from '../support/loopback';
import { checkService } from '../../packages/core/src/conformance/check';
import { namesFound } from '../../packages/core/src/conformance/finding';
import { main } from '../../packages/core/src/node/check';

/** The conformance command, run against the sandbox in every dialect and against a deliberately odd service. */

const KEY = 'sandbox-key';
/** There is no pause between two looks at a list, and only what the service may never answer is waited for. */
const after: Clock['after'] = (delayMs, action) => systemClock.after(delayMs < 5_000 ? 0 : delayMs, action);
const ports = { ...nodePorts(), clock: { ...systemClock, after } };
/** Waits for no frame at all, for what is asked of writes alone. */
const deafPorts = { ...ports, clock: { ...systemClock, after: (_: number, action: () => void) => after(0, action) } };
const open: { close(): unknown }[] = [];
// Tests wait for the market and for frames that never come, so they run beside each other.
afterAll(async () => {
	for (const entry of open.splice(0).reverse()) await entry.close();
});

/** A market with at least one record of every kind. */
async function market(options: Parameters<typeof startSandbox>[0] = {}): Promise<Sandbox> {
	const sandbox = await startSandbox({
		settings: { orderDelayMs: 0, settlementDelayMs: 0 },
		marketMaker: true,
		...options,
	});
	open.push(sandbox);
	const place = (side: string, price: string, key: string) =>
		sandbox.exchange.apply({
			kind: 'order_create',
			accountId: 'trader',
			fields: { pair_id: 'USD/NGN', side, order_type: 'limit', quantity: '3.00', price },
			key,
			fingerprint: key,
		});
	for (let index = 0; index < 3; index++) {
		place('buy', '1000.00', `rest-${index}`);
		place('buy', '1900.00', `take-${index}`);
	}
	for (const [currency, rail] of [
		['NGN', 'fiat'],
		['USD', 'crypto'],
		['NGN', 'fiat'],
	] as const)
		sandbox.exchange.apply({
			kind: 'transaction',
			accountId: 'trader',
			movement: { kind: 'deposit', rail, currency, settlementRail: null, chain: null, amount: 500n },
		});
	return sandbox;
}

const accountOf = ({ baseUrl, wsUrl }: { baseUrl: string; wsUrl: string }) =>
	({ environment: 'sandbox', baseUrl, wsUrl, apiKey: KEY }) as const;
const writing = { write: true, email: 'trader@sandbox.test', accountNumber: '0123456789' };

/** The sandbox behind a service that answers every write with success and does nothing. */
async function deafService({ baseUrl, wsUrl }: Sandbox): Promise<{ baseUrl: string; wsUrl: string }> {
	const server = createServer((request, response) => {
		response.setHeader('content-type', 'application/json');
		if (request.method !== 'GET') return void response.end(JSON.stringify({ success: true, data: { id: 'saved' } }));
		const key = request.headers['x-api-key'];
		void fetch(new URL(request.url!, baseUrl), { headers: key === undefined ? {} : { 'x-api-key': String(key) } })
			.then(async (reply) => response.writeHead(reply.status).end(await reply.text()))
			.catch(() => response.destroy());
	});
	const port = await openPort(server);
	open.push(server);
	return { baseUrl: `http://127.0.0.1:${port}/v1`, wsUrl };
}

/** The client's assumptions listed in docs/assumptions.md. */
const assumed = [
	...operationIds.flatMap((id) =>
		Object.entries<Field>(operationOf(id).input)
			.filter(([, field]) => field.assumed !== undefined)
			.map(([name]) => `${id}.${name}`),
	),
	...operationIds.filter((id) => operationOf(id).outputNotShown !== undefined),
	resume.input,
	wildcard.input,
].sort();

describe('the check', () => {
	it.concurrent('tries every assumption once, and finds all that can be checked true for the sandbox', async () => {
		const findings = await checkService(accountOf(await market()), ports, writing);
		expect(findings.map(({ about }) => about).sort()).toEqual(assumed);
		expect(findings.filter(({ verdict }) => verdict === 'differs')).toEqual([]);
		expect(findings.filter(({ verdict }) => verdict === 'could not tell').map(({ about }) => about)).toEqual([
			'recipient.create.account_name',
			'recipient.create.chain',
			'recipient.create.crypto_address',
			'recipient.create.body',
			'recipient.update.body',
			'simulation.kybStatus.email',
			'simulation.kybStatus.status',
			'simulation.kybStatus.body',
			'simulation.kybStatus',
			...findings.filter(({ about }) => about.startsWith('simulation.productUpdate')).map(({ about }) => about),
		]);
		expect(findings.filter(({ verdict, todo }) => verdict !== 'held' && todo === '')).toEqual([]);
	});

	it.concurrent('believes no write whose effect it cannot read back', async () => {
		const findings = await checkService(
			{ ...accountOf(await deafService(await market())), allowDifferentHosts: true },
			ports,
			writing,
		);
		const written = findings.filter(({ about }) => /^(recipient\.(create|update|delete)|simulation)/.test(about));
		expect(written.filter(({ verdict }) => verdict === 'held')).toEqual([]);
		for (const about of ['recipient.create.label', 'simulation.fiatDeposit', 'simulation.productUpdate'])
			expect(findings.find((entry) => entry.about === about)).toMatchObject({
				...{ verdict: 'could not tell', seen: 'accepted (200), effect not seen' },
			});
	});

	it.concurrent(
		'names the account number where all that it would tell is left open, and asks for no write that was allowed',
		async () => {
			const sandbox = await startSandbox({ settings: { orderDelayMs: 0, settlementDelayMs: 0 } });
			open.push(sandbox);
			const findings = await checkService(accountOf(sandbox), deafPorts, { write: true, email: 'trader@sandbox.test' });
			const waiting = findings.filter(({ todo }) => todo.includes('--account-number')).map(({ about }) => about);
			expect(waiting).toEqual([
				'wallet.verifyAccount',
				...['recipient_type', 'currency', 'label', 'bank_code', 'account_number'].map(
					(name) => `recipient.create.${name}`,
				),
				...['recipient.update.label', 'recipient.delete'],
			]);
			expect(findings.filter(({ seen }) => seen === 'only a write shows it')).toEqual([]);
		},
	);

	it.concurrent('writes before the reads that need what was written', async () => {
		const sandbox = await startSandbox({ settings: { orderDelayMs: 0, settlementDelayMs: 0 } });
		open.push(sandbox);
		const findings = await checkService(accountOf(sandbox), deafPorts, writing);
		const reads = findings.filter(({ about }) => /^(transaction|recipient)\.list/.test(about));
		expect(reads.length).toBeGreaterThan(0);
		expect(reads.filter(({ seen }) => seen.includes('records to tell from'))).toEqual([]);
	});

	const habits = Object.entries(dialects).map(([name, { values }]) => [name, values.slice(1)] as const);
	/** The nth habit of every kind at once, which do not touch each other; then those of which there are more. */
	const others = Array.from({ length: Math.max(...habits.map(([, values]) => values.length)) }, (_, at) =>
		Object.fromEntries(habits.flatMap(([name, values]) => (values[at] === undefined ? [] : [[name, values[at]]]))),
	);

	it.concurrent.each(others)('finds the assumptions true when the sandbox uses %j', async (dialect) => {
		const findings = await checkService(accountOf(await market({ dialect })), ports, writing);
		expect(findings.map(({ about }) => about).sort()).toEqual(assumed);
		expect(findings.filter(({ verdict }) => verdict === 'differs')).toEqual([]);
	});

	it('the conformance check only reads unless told to write, and never writes in production', async () => {
		const sandbox = await market();
		await checkService(accountOf(sandbox), ports);
		expect(sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
		const production = {
			...accountOf(sandbox),
			environment: 'production',
			baseUrl: 'https://api.example.test/v1',
			wsUrl: 'wss://api.example.test/v1/ws',
		} as const;
		await expect(checkService(production, ports, writing)).rejects.toThrow('does not write in production');
		await checkService(accountOf(sandbox), ports, writing);
		expect(sandbox.engine.state.accounts.get('trader')!.recipients.size).toBe(0);
	});

	it('finds the names of an odd service, and says what else differs', async () => {
		const sandbox = await market();
		const odd = await oddService(sandbox);
		const findings = await checkService({ ...accountOf(odd), allowDifferentHosts: true }, ports);
		expect(namesFound(findings)).toMatchObject({
			'order.list.limit': 'page_size',
			'order.list.offset': 'skip',
			'transaction.list.status': 'state',
			'market.depth.side': 'book_side',
		});
		const differing = Object.fromEntries(
			findings.filter(({ verdict }) => verdict === 'differs').map(({ about, seen }) => [about, seen]),
		);
		expect(differing['order.list.pair_id']).toContain('has an effect');
		expect(differing['market.ticker']).toContain('best_bid');
		expect(findings.find(({ about }) => about === 'wallet.depositAccount')).toMatchObject({
			verdict: 'could not tell',
			seen: expect.stringContaining('500'),
		});
	});
});

/**
 * The sandbox with differences: some names changed, one name ignored, one response without its fields, one that fails.
 * Its book changes between any two reads, once so far that its asks are where its bids were.
 */
async function oddService(sandbox: Sandbox): Promise<{ baseUrl: string; wsUrl: string; close(): void }> {
	const renamed: Record<string, string> = { page_size: 'limit', skip: 'offset', state: 'status', book_side: 'side' };
	let readings = 0;
	let hasFallen = false;
	const moved = (text: string): string => text.replace(/"quantity":"\d+/, `"quantity":"${(readings += 1)}`);
	const server: Server = createServer((incoming, outgoing) => {
		const url = new URL(incoming.url!, 'http://odd');
		const query = new URLSearchParams();
		for (const [name, value] of url.searchParams) {
			if (Object.values(renamed).includes(name)) continue;
			if (name === 'pair_id' && url.pathname.endsWith('/orders')) continue;
			query.set(renamed[name] ?? name, value);
		}
		if (query.get('side') === 'sell' && !hasFallen) {
			hasFallen = true;
			query.set('side', 'buy');
		}
		if (url.pathname.endsWith('/deposit-account')) return void outgoing.writeHead(500).end('not today');
		void fetch(`${sandbox.url}${url.pathname}?${query}`, { headers: { 'x-api-key': KEY } }).then(async (response) => {
			const text = await response.text();
			outgoing.writeHead(response.status, { 'content-type': 'application/json' });
			if (url.pathname.endsWith('/ticker/24h')) outgoing.end('{"data":{"b":"1","a":"2"},"status":"success"}');
			else outgoing.end(url.pathname.endsWith('/levels') ? moved(text) : text);
		});
	});
	const port = await openPort(server);
	const odd = {
		baseUrl: `http://127.0.0.1:${port}/v1`,
		wsUrl: sandbox.wsUrl,
		close: () => server.close(),
	};
	open.push(odd);
	return odd;
}

describe('partner-exchange-check', () => {
	const run = async (argv: string[], key?: string) => {
		const [printed, complained]: [string[], string[]] = [[], []];
		const code = await main(argv, key === undefined ? {} : { PARTNER_EXCHANGE_API_KEY: key }, {
			print: (text) => printed.push(text),
			onError: (text) => complained.push(text),
			ports,
		});
		return { code, printed: printed.join('\n'), complained: complained.join('\n') };
	};

	it('prints a table, and writes names and report without the key', async () => {
		const sandbox = await market();
		const folder = newFolder();
		const [names, report] = [join(folder, 'names.json'), join(folder, 'report.md')];
		const { code, printed } = await run(
			['--base-url', sandbox.baseUrl, '--ws-url', sandbox.wsUrl, '--names', names, '--report', report],
			KEY,
		);
		const written = [readFileSync(names, 'utf8'), readFileSync(report, 'utf8')];
		expect(code).toBe(0);
		expect(printed).toMatch(/order\.list\.limit +held +pages as asked/);
		expect(printed).toMatch(/\d+ assumptions: \d+ held, 0 differ, \d+ could not be told\./);
		expect(JSON.parse(written[0]!)).toEqual({});
		expect(written[1]).toContain('## Holds');
		expect(`${printed} ${written.join()}`).not.toContain(KEY);
	});

	it('says in one sentence that nobody answers, or that the key is unknown, and tells no assumption', async () => {
		const sandbox = await market();
		const addresses = ['--base-url', sandbox.baseUrl, '--ws-url', sandbox.wsUrl];
		const unknown = await run(addresses, 'canary-key-7f3a');
		expect(unknown).toMatchObject({
			code: 2,
			printed: '',
			complained: expect.stringContaining('does not know this key'),
		});
		expect(unknown.complained).not.toContain('canary-key-7f3a');
		await sandbox.close();
		expect(await run(addresses, KEY)).toMatchObject({
			code: 2,
			printed: '',
			complained: expect.stringContaining('Check the address'),
		});
	});

	it.each([
		['a web page', 200, '<html>hello</html>'],
		['not found', 404, ''],
		['forbidden', 403, ''],
	])('is no pass where the address answers everything with %s', async (_, status, text) => {
		const server = createServer((_request, response) => response.writeHead(status).end(text));
		const port = await openPort(server);
		open.push(server);
		const { code, printed, complained } = await run(['--base-url', `http://127.0.0.1:${port}/v1`], KEY);
		expect({ code, printed }).toEqual({ code: 2, printed: '' });
		expect(complained).toMatch(/^(The|A) .*\. Check .*address/);
	});

	it('says what is missing in one sentence', async () => {
		expect(await run([])).toMatchObject({ code: 2, complained: expect.stringContaining('PARTNER_EXCHANGE_API_KEY') });
		expect(await run(['--environment', 'staging'], KEY)).toMatchObject({
			code: 2,
			complained: expect.stringContaining('Service Address is empty'),
		});
		expect(await run(['--help'])).toMatchObject({ code: 0, printed: expect.stringContaining('--write') });
	});
});
