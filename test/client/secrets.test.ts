import { inspect } from 'node:util';
import { createClient, type Account, type Client } from '@partner-exchange/core';
import { nodePorts, openAccount } from '@partner-exchange/core/node';
import { acceptAccount } from '@partner-exchange/core/testing';
import { CANARY, drop, failure, silence, useWire, wireClient, type Answer } from '../support/wire';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { startSandbox } from '@partner-exchange/sandbox';
import { leaksIn } from '../support/canary';
import { forAll } from '../support/opened';

const BALANCES = 'GET /partner/wallets/balances/overview';

const DEAD = { baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' };

const { wire } = useWire();

const spellings = ['canary', encodeURIComponent(CANARY), JSON.stringify(CANARY).slice(1, -1)];

/** Everything a host could print, store or display of an error. */
const traces = (error: Error): string =>
	[
		inspect(error, { depth: 10, showHidden: true }),
		error.stack,
		error.message,
		JSON.stringify(error),
		String(error.cause),
	].join('\n');

function expectClean(error: unknown): void {
	expect(error).toBeInstanceOf(Error);
	for (const spelling of spellings) expect(traces(error as Error)).not.toContain(spelling);
}

const failing = (call: (client: Client) => Promise<unknown>, account: Partial<Account> = {}) =>
	call(wireClient(wire, account)).then(
		() => undefined,
		(error) => error,
	);

describe('the key appears nowhere', () => {
	const answers: [string, Answer][] = [
		['a refused key', failure(401, { message: `unknown key ${CANARY}` })],
		['a forbidden call', failure(403, { error: { message: CANARY, code: CANARY } })],
		['a conflict', failure(409, `"${CANARY}"`)],
		['too many requests', failure(429, { token: CANARY }, { 'retry-after': '1000000000' })],
		['a fault of the service', failure(500, `<html>X-Api-Key: ${CANARY}</html>`)],
		['cut JSON', { body: `{"status":"success","data":{"key":"${CANARY}` }],
		['a redirect', { status: 302, headers: { location: `https://evil.test/?token=${encodeURIComponent(CANARY)}` } }],
		['a broken connection', drop],
		['an oversized answer', (_, response) => void response.end('x'.repeat(6 * 1024 * 1024))],
	];

	it.each(answers)('shows no key after %s', async (_, answer) => {
		wire.on(BALANCES, answer);
		expectClean(await failing((client) => client.wallet.balances({})));
	});

	it('shows no key that a script passes for something else', async () => {
		expectClean(await failing((client) => client.call(CANARY as 'wallet.balances', {})));
		const { stream } = openAccount(wire.account);
		const deliver = () => Promise.resolve();
		for (const odd of [
			{ topics: [CANARY] },
			{ [CANARY]: 1 },
			{ filters: { [CANARY]: 1 } },
			{ filters: { sides: [CANARY] } },
		]) {
			const { ready } = stream.subscribe({ topics: ['user.fills'], deliver, ...odd });
			expectClean(await ready.catch((error: unknown) => error));
		}
		await stream.close();
		for (const odd of [{ [CANARY]: 1 }, { names: { [CANARY]: 'x' } }]) {
			const opening = Promise.resolve(odd).then((more) => openAccount({ ...wire.account, ...more }));
			expectClean(await opening.catch((error: unknown) => error));
		}
	});

	it('shows no key where a client, its account or what holds them is printed, and reads it there by name', async () => {
		const opened = openAccount({ ...wire.account, controlToken: `${CANARY}-token` });
		const { account } = opened.client;
		for (const printed of [opened, account, { job: { client: opened.client } }, createClient(account, nodePorts())])
			for (const text of [inspect(printed, { depth: 10, showHidden: true }), JSON.stringify(printed)])
				for (const spelling of spellings) expect(text).not.toContain(spelling);
		expect(account).toMatchObject({ apiKey: CANARY, controlToken: `${CANARY}-token` });
		await opened.close();
	});

	it('shows no key after a refused connection, a wrong host name or a missing answer', async () => {
		expectClean(await failing((client) => client.wallet.balances({}), DEAD));
		wire.on(BALANCES, silence);
		const stop = new AbortController();
		const call = failing((client) => client.wallet.balances({}, { signal: stop.signal }));
		stop.abort();
		expectClean(await call);
	});

	it('shows no key after a bad account or a bad input', async () => {
		const account = { ...wire.account, wsUrl: `${wire.account.wsUrl}?token=${CANARY}` };
		expect(() => acceptAccount(account)).toThrow(expect.objectContaining({ code: 'invalid_account' }));
		try {
			acceptAccount(account);
		} catch (error) {
			expectClean(error);
		}
		expectClean(await failing((client) => client.order.get({ order_id: '../' })));
	});
});

describe('a service that cannot be reached is named in one sentence with the next step', () => {
	it('names the address and the next step when nothing answers there', async () => {
		const error = await failing((client) => client.wallet.balances({}), DEAD);
		expect(error).toMatchObject({ code: 'unreachable', retryable: true });
		expect(error.message).toBe(
			'Get Balances: Nothing answers at 127.0.0.1:1024, tried 5 times. Check the address and that the service is running; nothing was sent.',
		);
	});
});

describe('a process that holds a key', () => {
	const CANARY = 'canary-7f3a+key-of-a-process';

	const sandbox = forAll(() => startSandbox({ seed: 1, keys: [{ key: CANARY, email: 'trader@sandbox.test' }] }));

	/** The complete output of a process that makes calls, listens and fails. */
	const spoken = async (env: Record<string, string>): Promise<{ text: string; code: number | null }> =>
		await new Promise((resolve) => {
			const program = ['--import', 'tsx', join(__dirname, '../support/spoken.ts')];
			const value = { ...process.env, KEY: CANARY, BASE_URL: sandbox.baseUrl, WS_URL: sandbox.wsUrl, ...env };
			const child = execFile(process.execPath, program, { env: value, maxBuffer: 1 << 28 }, (_, stdout, stderr) =>
				resolve({ text: stdout + stderr, code: child.exitCode }),
			);
		});

	type Spoken = Awaited<ReturnType<typeof spoken>>;
	let input: Spoken;
	let ended: Spoken;
	beforeAll(async () => {
		const printing = spoken({ NODE_DEBUG: 'tls,undici,fetch,websocket,timer,stream', DEBUG: '*' });
		[input, ended] = await Promise.all([printing, spoken({ ENDS: 'uncaught' })]);
	});

	it('prints no key when Node prints all it does, but for requests and their connections', () => {
		const { text, code } = input;
		expect(code).toBe(0);
		expect(text).toContain('TIMER ');
		expect(leaksIn({ text }, CANARY)).toEqual([]);
	});

	it('writes no key into a diagnostic report or the last words of an uncaught error', () => {
		const { text, code } = ended;
		expect(code).toBe(1);
		expect(text).toContain('REPORT {');
		expect(text).toMatch(/ExchangeError: .*not find/s);
		expect(leaksIn({ text }, CANARY)).toEqual([]);
	});
});

describe('the key in the address of the stream', () => {
	const KEYS = ['a+b/c=d&e', 'q?x#y%20z', '"quoted"\\back', 'plain-key'];

	const sandbox = forAll(() => startSandbox({ keys: KEYS.map((key) => ({ key })) }));

	/** Subscribes to a private topic, which succeeds only if the service received exactly this key. */
	async function subscribe(apiKey: string, wsUrl = sandbox.wsUrl): Promise<void> {
		const { stream, close } = openAccount({ environment: 'sandbox', baseUrl: sandbox.baseUrl, wsUrl, apiKey });
		try {
			await stream.subscribe({ topics: ['user.orders'], deliver: async () => undefined }).ready;
		} finally {
			await close();
		}
	}

	it.each(KEYS)("sends the key in the stream's address as %j, encoded once", async (key) => {
		await expect(subscribe(key)).resolves.toBeUndefined();
	});

	it.each(['/', '//', ' \n'])('accepts a stream address that ends in %j', async (ending) => {
		await expect(subscribe('plain-key', sandbox.wsUrl + ending)).resolves.toBeUndefined();
	});
});
