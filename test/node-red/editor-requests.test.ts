import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { openPort } from '../support/loopback';
import { freePort } from '../../scripts/hosts/ports';
import { until } from '../support/condition';
import { account, node, openBench, tab, type Bench } from './flows';
import { forAll } from '../support/opened';

const SECRET = 'canary-of-the-environment-41c9';

/** Requests a page in the operator's browser can make where Node-RED requires no login. */
describe('a request that does not come from the editor', () => {
	let bench: Bench;
	let other: Server;
	const arrived: { url: string; headers: IncomingHttpHeaders }[] = [];
	let elsewhere: { environment: string; baseUrl: string; wsUrl: string };

	beforeAll(async () => {
		const port = await freePort();
		const variables = { OTHER_SECRET: SECRET, EXCHANGE_ADDRESS: `http://127.0.0.1:${port}/v1` };
		bench = await openBench({ port }, { env: variables });
		other = createServer(({ url, headers }, response) => {
			arrived.push({ url: url!, headers });
			response.end('{}');
		});
		const host = `127.0.0.1:${await openPort(other)}`;
		elsewhere = { environment: 'sandbox', baseUrl: `http://${host}/v1`, wsUrl: `ws://${host}/v1/ws` };
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			account(bench.sandbox, { id: 'account-variable', baseUrl: '${EXCHANGE_ADDRESS}' }),
			...node('create', 'create-order'),
		]);
	});
	afterAll(async () => {
		other?.close();
		await bench?.close();
	});
	beforeEach(() => arrived.splice(0));

	const send = async (path: string, body: string | undefined, headers: Record<string, string>) => {
		const request = { method: body === undefined ? 'GET' : 'POST', headers, body };
		const response = await fetch(`${bench.nodeRed.url}/partner-exchange/${path}`, request);
		return { status: response.status, text: await response.text() };
	};
	const json = { 'content-type': 'application/json' };
	const form = { 'content-type': 'application/x-www-form-urlencoded' };
	const settingsOf = ({ baseUrl, wsUrl }: { baseUrl: string; wsUrl: string }) => ({
		...{ environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key', picker: 'pair' },
	});

	it.each(['accounts/account-one/test', 'choices'])(
		"refuses a form's request from another page by %s",
		async (path) => {
			const fields = { ...elsewhere, apiKey: 'any', picker: 'pair' };
			for (const headers of [form, { 'content-type': 'text/plain' }]) {
				const body = headers === form ? new URLSearchParams(fields).toString() : JSON.stringify(fields);
				expect(await send(path, body, headers)).toMatchObject({ status: 403, text: expect.stringContaining('JSON') });
			}
			expect(arrived).toEqual([]);
		},
	);

	it.each<Record<string, string>>([
		{ origin: 'https://evil.test' },
		{ origin: 'null' },
		{ 'sec-fetch-site': 'cross-site' },
		{ 'sec-fetch-site': 'same-site' },
	])('refuses a request with the headers %j', async (foreign) => {
		const settings = JSON.stringify(settingsOf(bench.sandbox));
		const paths = ['accounts/account-one/test', 'choices'];
		for (const path of paths)
			expect(await send(path, settings, { ...json, ...foreign })).toMatchObject({ status: 403 });
		const reads = ['accounts/account-one/choices/pair', 'accounts/account-one/stream'];
		for (const path of reads) expect(await send(path, undefined, foreign)).toMatchObject({ status: 403 });
	});

	it.each<Record<string, string>>([{}, { 'sec-fetch-site': 'same-origin' }])(
		'accepts a request of the editor with the headers %j',
		async (more) => {
			const headers = { ...json, origin: bench.nodeRed.url, ...more };
			const settings = JSON.stringify(settingsOf(bench.sandbox));
			expect(await send('choices', settings, headers)).toMatchObject({ status: 200 });
			expect(await send('accounts/account-one/test', settings, headers)).toMatchObject({ status: 200 });
			expect(await send('accounts/account-one/choices/pair', undefined, headers)).toMatchObject({ status: 200 });
			expect(await send('accounts/account-one/stream', undefined, headers)).toMatchObject({ status: 200 });
		},
	);

	it.each(['apiKey', 'baseUrl', 'wsUrl', 'environment', 'names'])(
		'looks no variable up for the %s of a request, and neither sends nor shows one',
		async (field) => {
			for (const path of ['accounts/account-one/test', 'accounts/nobody/test', 'choices']) {
				const body = { ...elsewhere, apiKey: 'any', picker: 'pair', [field]: '${OTHER_SECRET}' };
				const answer = await send(path, JSON.stringify(body), json);
				expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('deploy') });
				expect(answer.text).not.toContain(SECRET);
			}
			expect(arrived).toEqual([]);
		},
	);

	it('looks a variable up where the deployed account has the same one', async () => {
		const settings = { ...settingsOf(bench.sandbox), baseUrl: '${EXCHANGE_ADDRESS}' };
		const deployed = await send('accounts/account-variable/test', JSON.stringify(settings), json);
		expect(deployed).toMatchObject({ status: 200 });
		expect(await send('accounts/account-one/test', JSON.stringify(settings), json)).toMatchObject({ status: 400 });
		// A key from an environment variable is sent to the deployed addresses only, which do not accept this one.
		const withKey = JSON.stringify({ ...settings, apiKey: '${OTHER_SECRET}' });
		const refused = await send('accounts/account-variable/test', withKey, json);
		expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('unauthorized') });
		expect(refused.text).not.toContain(SECRET);
	});

	describe('for a list to pick from', () => {
		const get = async (path: string) => {
			const { status, text } = await send(`accounts/${path}`, undefined, {});
			return { status, body: JSON.parse(text) as unknown };
		};
		const post = async (body: Record<string, unknown>) => {
			const { status, text } = await send('choices', JSON.stringify(body), json);
			return { status, body: JSON.parse(text) as unknown };
		};

		it('asks for a deploy before the first one, and uses the settings of the editor meanwhile', async () => {
			expect(await get('nobody/choices/pair')).toMatchObject({
				...{ status: 404, body: { message: expect.stringMatching(/[Dd]eploy.*type/) as string } },
			});
			const settings = settingsOf(bench.sandbox);
			expect(await post(settings)).toMatchObject({ status: 200, body: [{ value: 'USD/NGN' }] });
			expect(await post({ ...settings, apiKey: undefined, picker: 'bank', search: 'guar' })).toMatchObject({
				status: 200,
			});
		});

		it('lists what the deployed account holds, searches it, and explains why a list cannot be read', async () => {
			expect(await get('account-one/choices/bank?search=guaranty')).toMatchObject({
				...{ status: 200, body: [{ label: expect.stringMatching(/^Guaranty/) as string }] },
			});
			for (const picker of ['pair', 'chain', 'currency', 'recipient', 'order', 'transaction'])
				expect({ picker, ...(await get(`account-one/choices/${picker}`)) }).toMatchObject({
					...{ picker, status: 200, body: expect.any(Array) as unknown[] },
				});
			expect(await get('account-one/choices/constructor')).toMatchObject({ status: 404 });
			const metadata = { baseUrl: 'http://169.254.169.254/v1', wsUrl: 'ws://169.254.169.254/v1/ws' };
			const refused = await post({ environment: 'sandbox', ...metadata, picker: 'pair' });
			expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_account' } });
			bench.sandbox.faults.arm({ kind: 'forbidden', operation: 'market.list' });
			expect(await get('account-one/choices/pair')).toMatchObject({
				...{ status: 400, body: { code: expect.any(String) as string, message: expect.any(String) as string } },
			});
		});

		it('tells what an order comes to, and of one that is still being typed, or nobody can tell, that nobody knows', async () => {
			const of = (quantity: string, pair = 'USD/NGN') =>
				`estimate?${new URLSearchParams({ pair_id: pair, side: 'buy', quantity }).toString()}`;
			expect(await get(`account-one/${of('10')}`)).toMatchObject({ status: 200, body: { quantity: '10' } });
			for (const path of [`nobody/${of('10')}`, `account-one/${of('1,')}`, `account-one/${of('10', 'NO/PAIR')}`])
				expect({ path, ...(await get(path)) }).toEqual({ path, status: 200, body: null });
		});
	});
});

/** Hashes of `reader-word` and `writer-word`, created with `node-red admin hash-pw`. */
const users = [
	{ username: 'reader', password: '$2b$04$9gTQEUWfj.GZQZtliA8p2ueP3ocj.eFPnWfz9ULZWwat8CunwH8di', permissions: 'read' },
	{ username: 'writer', password: '$2b$04$z5EPbGAMwL1WTEL/HulN9OMZ8VSMnfCtx.Lwp27BKiB34QHX2LDeK', permissions: '*' },
];

describe('lists to pick from where Node-RED asks who you are', () => {
	const bench = forAll(() => openBench({}, { settings: { adminAuth: { type: 'credentials', users } } }));

	const tokenOf = async (username: string, scope: string): Promise<string> => {
		const form = { client_id: 'node-red-admin', grant_type: 'password', scope, username, password: `${username}-word` };
		const answer = await fetch(`${bench.nodeRed.url}/auth/token`, { method: 'POST', body: new URLSearchParams(form) });
		return ((await answer.json()) as { access_token: string }).access_token;
	};
	const statusOf = async (path: string, token: string | undefined, body?: Record<string, unknown>): Promise<number> => {
		const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
		const request = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers };
		return (await fetch(`${bench.nodeRed.url}/partner-exchange/${path}`, request)).status;
	};

	it('a picker serves those who may read flows, and takes an address from the browser only of those who may change them', async () => {
		const [reader, writer] = [await tokenOf('reader', 'read'), await tokenOf('writer', '*')];
		const { baseUrl, wsUrl } = bench.sandbox;
		const settings = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key', picker: 'pair' };
		const flows = [tab, account(bench.sandbox), ...node('create', 'create-order')];
		await bench.nodeRed.api('/flows', { method: 'POST', body: flows, headers: { authorization: `Bearer ${writer}` } });
		await until(async () => (await statusOf('accounts/account-one/choices/pair', reader)) === 200, {
			what: 'the account',
		});
		expect(await statusOf('accounts/account-one/choices/pair', undefined)).toBe(401);
		expect(await statusOf('choices', undefined, settings)).toBe(401);
		expect(await statusOf('choices', reader, settings)).toBe(401);
		expect(await statusOf('accounts/account-one/test', reader, settings)).toBe(401);
		expect(await statusOf('choices', writer, settings)).toBe(200);
		expect(await statusOf('accounts/account-one/test', writer, settings)).toBe(200);
	});
});
