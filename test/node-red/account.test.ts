import { leaksIn } from '../support/canary';
import { everyFile } from '../support/files';
import { account, call, node, openBench, payloadOf, tab } from './flows';
import { forAll } from '../support/opened';

/** A unique text, so that it is found wherever it leaks. */
const CANARY = 'canary-7f3a+key/of=the&tests';

describe('the account node', () => {
	const bench = forAll(() =>
		openBench(
			{
				keys: [
					{ key: CANARY, email: 'trader@sandbox.test' },
					{ key: 'wallet-less', email: 'trader@sandbox.test', access: ['exchangeRead'] },
				],
			},
			{
				env: { EXCHANGE_KEY: CANARY },
				settings: { logging: { console: { level: 'trace', metrics: false, audit: false } } },
			},
		),
	);
	beforeAll(async () => {
		const { sandbox, nodeRed } = bench;
		await nodeRed.deploy([
			tab,
			account(sandbox, { credentials: { apiKey: CANARY } }),
			account(sandbox, { id: 'account-variable', credentials: { apiKey: '${EXCHANGE_KEY}' } }),
			account(sandbox, { id: 'account-unset', credentials: { apiKey: '${NOT_SET_KEY}' } }),
			account(sandbox, { id: 'account-keyless', credentials: {} }),
			account(sandbox, { id: 'account-address', baseUrl: '${NOT_SET_ADDRESS}' }),
			account(sandbox, {
				id: 'account-elsewhere',
				baseUrl: 'http://127.0.0.1:1024/v1',
				wsUrl: 'ws://127.0.0.1:1024/v1/ws',
				credentials: { apiKey: CANARY },
			}),
			account(sandbox, { id: 'account-wrong-key', credentials: { apiKey: `${CANARY}-wrong` } }),
			account(sandbox, { id: 'account-names', names: '[1]' }),
			...node('balances', 'balances', {}, 1),
			...['variable', 'unset', 'keyless', 'address', 'names', 'elsewhere', 'wrong-key'].flatMap((name) =>
				node(`with-${name}`, 'balances', { account: `account-${name}` }, 1),
			),
			...node('list-of-banks', 'wallet', { account: 'account-keyless', operation: 'banks' }, 1),
			...node('listen', 'events', { topics: ['user.fills', 'user.orders'] }, 1),
			...node('listen-wrong', 'events', { account: 'account-wrong-key', topics: ['user.fills'] }, 1),
			{
				id: 'debug-all',
				type: 'debug',
				z: tab.id,
				active: true,
				tosidebar: true,
				console: true,
				complete: 'true',
				targetType: 'full',
				wires: [],
			},
			{ id: 'catch-all', type: 'catch', z: tab.id, scope: null, wires: [['debug-all']] },
		]);
	});

	const codeOf = async (id: string) => (await call(bench.nodeRed, id)).error;

	it('the account reads its key from an environment variable', async () => {
		expect(payloadOf(await call(bench.nodeRed, 'with-variable'))).toHaveProperty('balances');
	});

	it('the account names a variable that is not set, and never sends its name as a key', async () => {
		const request = () => bench.sandbox.requests.filter(({ path }) => path.endsWith('/balances/overview')).length;
		const before = request();
		expect(await codeOf('with-unset')).toMatchObject({
			code: 'invalid_account',
			message: expect.stringContaining('NOT_SET_KEY'),
		});
		expect(await codeOf('with-address')).toMatchObject({
			code: 'invalid_account',
			message: expect.stringContaining('NOT_SET_ADDRESS'),
		});
		expect(request()).toBe(before);
	});

	it('the account needs no key for public data, and asks for one elsewhere', async () => {
		expect(payloadOf<unknown[]>(await call(bench.nodeRed, 'list-of-banks')).length).toBeGreaterThan(0);
		expect(await codeOf('with-keyless')).toMatchObject({
			code: 'invalid_account',
			message: expect.stringContaining('API Key is missing'),
		});
		await bench.nodeRed.waitForStatus('with-keyless', /^invalid account · API key$/);
	});

	it('the account tells a wrong key from an unreachable service', async () => {
		expect(await codeOf('with-wrong-key')).toMatchObject({ code: 'unauthorized' });
		expect(await codeOf('with-elsewhere')).toMatchObject({ code: 'unreachable' });
		await bench.nodeRed.waitForStatus('listen-wrong', /unauthorized/);
	});

	it('the account tests settings before they are deployed, and tells a wrong key from one that may not read', async () => {
		const { sandbox, nodeRed } = bench;
		const settings = { environment: 'sandbox', baseUrl: sandbox.baseUrl, wsUrl: sandbox.wsUrl };
		const test = async (body: Record<string, unknown>, id = 'account-one') =>
			await ask(nodeRed.url, `partner-exchange/accounts/${id}/test`, { ...settings, ...body });
		expect(await test({ apiKey: CANARY })).toMatchObject({
			status: 200,
			body: { outcome: 'connected', environment: 'sandbox' },
		});
		expect(await test({ apiKey: '__PWRD__' })).toMatchObject({ status: 200 });
		expect(await test({ apiKey: '${EXCHANGE_KEY}' })).toMatchObject({ status: 200 });
		expect(await test({ apiKey: '${EXCHANGE_KEY}' }, 'not-deployed')).toMatchObject({
			status: 400,
			body: { code: 'invalid_account', message: expect.stringContaining('deploy') },
		});
		expect(await test({ apiKey: 'wrong' })).toMatchObject({ status: 400, body: { code: 'unauthorized' } });
		expect(await test({ apiKey: 'wallet-less' })).toMatchObject({
			status: 200,
			body: { outcome: 'noWallet' },
		});
		expect(await test({ apiKey: CANARY, wsUrl: 'ws://127.0.0.1:1024/v1/ws', allowDifferentHosts: true })).toMatchObject(
			{
				status: 400,
				body: { code: 'unreachable', message: expect.stringContaining('but the Stream Address does not') },
			},
		);
		expect(await test({ apiKey: '${NOT_SET_KEY}' })).toMatchObject({
			status: 400,
			body: { message: expect.stringContaining('NOT_SET_KEY') },
		});
		expect(await test({ apiKey: CANARY, baseUrl: 'http://example.invalid/v1' })).toMatchObject({
			status: 400,
			body: { code: 'invalid_account' },
		});
	});

	it('the account sends a stored key only where it was deployed to go', async () => {
		const { sandbox, nodeRed } = bench;
		const body = {
			environment: 'sandbox',
			baseUrl: 'http://127.0.0.1:1024/v1',
			wsUrl: 'ws://127.0.0.1:1024/v1/ws',
			apiKey: '__PWRD__',
		};
		const answer = await ask(nodeRed.url, 'partner-exchange/accounts/account-one/test', body);
		expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('other addresses') } });
		expect(sandbox.baseUrl).not.toBe(body.baseUrl);
	});

	it('the account shows its key nowhere: not in flows, credentials, statuses, messages, logs or files', async () => {
		const { sandbox, nodeRed } = bench;
		sandbox.faults.arm({ kind: 'drop-stream' });
		for (const kind of ['html-502', 'forbidden', 'truncate', 'server-error'] as const) {
			sandbox.faults.arm({ kind, operation: 'wallet.balances', times: 1 });
			await call(nodeRed, 'balances');
		}
		const texts = {
			log: nodeRed.log(),
			statuses: JSON.stringify(nodeRed.statuses),
			messages: JSON.stringify([nodeRed.messages, nodeRed.completions]),
			flows: JSON.stringify(await nodeRed.api('/flows')),
			credentials: JSON.stringify(await nodeRed.credentials('partner-exchange-account', 'account-one')),
			files: await everyFile(nodeRed.userDir),
		};
		expect(leaksIn(texts, CANARY)).toEqual([]);
		expect(texts.credentials).toBe('{"has_apiKey":true,"has_controlToken":false}');
	});
});

async function ask(
	url: string,
	path: string,
	body: Record<string, unknown>,
): Promise<{ status: number; body: unknown }> {
	const response = await fetch(`${url}/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return { status: response.status, body: await response.json() };
}
