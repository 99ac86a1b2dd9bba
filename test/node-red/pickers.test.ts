import { until } from '../support/condition';
import { account, node, openBench, tab, type Bench } from './flows';

/** Hashes of `reader-word` and `writer-word`, created with `node-red admin hash-pw`. */
const users = [
	{ username: 'reader', password: '$2b$04$9gTQEUWfj.GZQZtliA8p2ueP3ocj.eFPnWfz9ULZWwat8CunwH8di', permissions: 'read' },
	{ username: 'writer', password: '$2b$04$z5EPbGAMwL1WTEL/HulN9OMZ8VSMnfCtx.Lwp27BKiB34QHX2LDeK', permissions: '*' },
];

describe('lists to pick from in the editor', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench({}, {});
	});
	afterAll(async () => await bench.close());
	const get = async (path: string) => await answerOf(fetch(`${bench.nodeRed.url}/partner-exchange/${path}`));
	const post = async (path: string, body: Record<string, unknown>) =>
		await answerOf(
			fetch(`${bench.nodeRed.url}/partner-exchange/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(body),
			}),
		);

	it('a picker asks for a deploy before the first one, and uses the settings of the editor meanwhile', async () => {
		expect(await get('accounts/account-one/choices/pair')).toMatchObject({
			status: 404,
			body: { message: expect.stringMatching(/[Dd]eploy.*type/) },
		});
		const { baseUrl, wsUrl } = bench.sandbox;
		const settings = { environment: 'sandbox', baseUrl, wsUrl, apiKey: 'sandbox-key' };
		expect(await post('choices', { ...settings, picker: 'pair' })).toMatchObject({
			status: 200,
			body: [{ value: 'USD/NGN' }],
		});
		expect(await post('choices', { ...settings, apiKey: undefined, picker: 'bank', search: 'guar' })).toMatchObject({
			status: 200,
		});
	});

	it('a picker lists what the deployed account holds, and searches it', async () => {
		await bench.nodeRed.deploy([tab, account(bench.sandbox), ...node('create', 'create-order')]);
		expect(await get('accounts/account-one/choices/pair')).toMatchObject({ status: 200, body: [{ value: 'USD/NGN' }] });
		const banks = (await get('accounts/account-one/choices/bank?search=guaranty')).body as {
			value: string;
			label: string;
		}[];
		expect(banks.map(({ label }) => label)).toEqual([expect.stringMatching(/^Guaranty/)]);
		for (const picker of ['chain', 'currency', 'recipient', 'order', 'transaction']) {
			expect({ picker, ...(await get(`accounts/account-one/choices/${picker}`)) }).toMatchObject({
				picker,
				status: 200,
				body: expect.any(Array),
			});
		}
	});

	it('a picker explains why a list cannot be read', async () => {
		expect(await get('accounts/account-one/choices/constructor')).toMatchObject({ status: 404 });
		const answer = await post('choices', {
			environment: 'sandbox',
			baseUrl: 'http://169.254.169.254/v1',
			wsUrl: 'ws://169.254.169.254/v1/ws',
			picker: 'pair',
		});
		expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_account' } });
		bench.sandbox.faults.arm({ kind: 'forbidden', operation: 'market.list' });
		expect(await get('accounts/account-one/choices/pair')).toMatchObject({
			status: 400,
			body: { code: expect.any(String), message: expect.any(String) },
		});
	});
});

describe('lists to pick from where Node-RED asks who you are', () => {
	let bench: Bench;
	beforeAll(async () => {
		bench = await openBench({}, { settings: { adminAuth: { type: 'credentials', users } } });
	});
	afterAll(async () => await bench.close());

	const tokenOf = async (username: string, scope: string): Promise<string> => {
		const form = { client_id: 'node-red-admin', grant_type: 'password', scope, username, password: `${username}-word` };
		const { body } = await answerOf(
			fetch(`${bench.nodeRed.url}/auth/token`, { method: 'POST', body: new URLSearchParams(form) }),
		);
		return (body as { access_token: string }).access_token;
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

async function answerOf(requested: Promise<Response>): Promise<{ status: number; body: unknown }> {
	const response = await requested;
	return { status: response.status, body: await response.json() };
}
