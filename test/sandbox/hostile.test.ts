import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { request } from 'node:http';
import { WebSocket } from 'ws';
import { startSandbox, type FaultRequest, type Sandbox } from '@partner-exchange/sandbox';
import { until } from '../support/condition';
import { ask, create, limit, listenTo, sandboxFor } from './connection';

/** No input ends the sandbox or fills its memory. */

const alive = async (sandbox: Sandbox) =>
	expect((await ask(sandbox, 'GET /partner/exchange/markets')).status).toBe(200);
const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const DEEP = 4_000;

describe('a message', () => {
	it.each([
		['a command', `{"type":"command","request_id":"deep","action":"order_create","x":${nested(DEEP)}}`],
		['a subscription', `{"type":"subscribe","topics":["user.orders"],"resume":${nested(DEEP)}}`],
		['a list in a list', `{"type":"command","request_id":"deep","x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`],
	])('answers a deeply nested message, as %s, with an error', async (_what, text) => {
		const sandbox = await sandboxFor();
		sandbox.faults.arm({ kind: 'hang', operation: 'order.create', apiKey: 'another-key' });
		const line = await listenTo(sandbox, 'sandbox-key');
		line.send(text);
		await line.hears(({ type }) => type === 'error', 'an error');
		await alive(sandbox);
	});

	it('refuses a deeply nested or very wide request', async () => {
		const sandbox = await sandboxFor();
		expect((await create(sandbox, nested(DEEP))).status).toBe(400);
		expect((await create(sandbox, `{"a":[${'1,'.repeat(30_000)}1]}`)).status).toBe(404);
		await alive(sandbox);
	});
});

describe('the control', () => {
	const odd = ['{"toString":0}', '{"toString":0,"valueOf":0}', '[{"toString":1}]', 'null', '{"__proto__":null}'];

	it('refuses a value that throws when it is converted, in any control field of any route', async () => {
		const sandbox = await sandboxFor();
		const { paths } = (await (await fetch(`${sandbox.url}/_sandbox/openapi.json`)).json()) as OpenApi;
		let requestCount = 0;
		for (const [path, methods] of Object.entries(paths)) {
			for (const [method, { requestBody }] of Object.entries(methods)) {
				const names = Object.keys(requestBody?.content['application/json'].schema.properties ?? {});
				for (const value of names.length === 0 ? [] : odd) {
					const body = `{${names.map((name) => `"${name}":${value}`).join(',')}}`;
					for (const each of [body, ...names.map((name) => `{"${name}":${value}}`)]) {
						const headers = { 'content-type': 'application/json' };
						const answer = await fetch(sandbox.url + path, { method: method.toUpperCase(), headers, body: each });
						expect({ path, method, body: each, failed: answer.status >= 500 }).toMatchObject({ failed: false });
						requestCount += 1;
					}
				}
			}
		}
		expect(requestCount).toBeGreaterThan(100);
		await alive(sandbox);
	});

	it.each(odd)('answers a command while a fault is armed for it with the odd value %s', async (value) => {
		const sandbox = await sandboxFor();
		sandbox.faults.arm({ kind: 'hang', operation: 'order.create', idempotencyKey: 'another' });
		const line = await listenTo(sandbox, 'sandbox-key');
		line.send(`{"type":"command","action":"order_create","request_id":${value},"idempotency_key":${value}}`);
		await line.hears(({ type }) => type !== 'subscribed', 'an answer');
		await alive(sandbox);
	});
});

interface OpenApi {
	paths: Record<
		string,
		Record<string, { requestBody?: { content: { 'application/json': { schema: { properties?: object } } } } }>
	>;
}

describe('an upgrade', () => {
	it.each(['//', '/v1//ws', '/v1/ws?token=%', '/%', '/v1/ws?%E0%A4%A'])(
		'answers an upgrade to %s and ends it',
		async (path) => {
			const sandbox = await sandboxFor();
			const socket = new WebSocket(`ws://127.0.0.1:${new URL(sandbox.url).port}${path}`);
			const ended = new Promise<string>((resolve) => {
				socket.once('error', (error) => resolve(error.message));
				socket.once('open', () => resolve('open'));
			});
			await ended;
			socket.terminate();
			await alive(sandbox);
		},
	);

	it('ignores an upgrade to HTTP/2 and answers the request over HTTP/1.1', async () => {
		const sandbox = await sandboxFor();
		const { port } = new URL(sandbox.url);
		const headers = {
			connection: 'Upgrade, HTTP2-Settings',
			upgrade: 'h2c',
			'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
		};
		const requested = (method: string, path: string, body?: string) =>
			new Promise((resolve, reject) => {
				const asking = request(
					{
						port,
						path,
						method,
						headers: {
							...headers,
							'x-api-key': 'sandbox-key',
							'idempotency-key': 'h2',
							'content-type': 'application/json',
						},
					},
					(response) => {
						response.resume();
						resolve([response.statusCode, response.httpVersion]);
					},
				);
				asking.once('error', reject).end(body);
			});
		expect(await requested('GET', '/v1/partner/exchange/markets')).toEqual([200, '1.1']);
		expect(await requested('POST', '/v1/partner/exchange/orders', JSON.stringify(limit()))).toEqual([201, '1.1']);
		const curl = await promisify(execFile)('curl', [
			'-s',
			'--http2',
			'-o',
			'/dev/null',
			'-w',
			'%{http_code} %{http_version}',
			`${sandbox.baseUrl}/partner/wallets/chains`,
		]).catch(() => undefined);
		expect(curl?.stdout ?? '200 1.1').toBe('200 1.1');
	});
});

describe('a fault', () => {
	it.each([
		[{ kind: 'too-many-requests', retryAfter: 'a\r\nb' }, 'retryAfter'],
		[{ kind: 'too-many-requests', retryAfter: { in: 5 } }, 'retryAfter'],
		[{ kind: 'too-many-requests', retryAfter: 'é' }, 'retryAfter'],
		[{ kind: 'delay', delayMs: -1 }, 'delayMs'],
		[{ kind: 'delay', delayMs: '5' }, 'delayMs'],
		[{ kind: 'refuse', operation: 'order.crate' }, 'order.create'],
		[{ kind: 'refuse', route: 'POST /orders' }, 'route'],
		[{ kind: 'refuse', times: 0 }, 'times'],
		[{ kind: 'meteor' }, 'kind'],
		[{ kind: 'refuse', where: 'everywhere' }, 'where'],
	])('refuses a fault armed with %j and names %s', async (fault, named) => {
		const sandbox = await sandboxFor();
		const response = await fetch(`${sandbox.url}/_sandbox/faults`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(fault),
		});
		expect(response.status).toBe(400);
		expect(await response.text()).toContain(named);
		expect(() => sandbox.faults.arm(fault as FaultRequest)).toThrow(named);
		await alive(sandbox);
	});

	it('strikes with an unusual but valid Retry-After as armed', async () => {
		const sandbox = await sandboxFor();
		sandbox.faults.arm({ kind: 'too-many-requests', retryAfter: 'soon' });
		expect((await create(sandbox, limit())).headers.get('retry-after')).toBe('soon');
	});
});

describe('memory', () => {
	const product = (sandbox: Sandbox, fields: object) =>
		ask(sandbox, 'POST /simulate/notifications/product-updates', {
			key: null,
			body: { email: 'trader@sandbox.test', ...fields },
		});

	it('bounds the memory of logged request bodies', async () => {
		const sandbox = await sandboxFor({ requestsPerSecond: 1_000_000 });
		const body = JSON.stringify({ email: 'nobody@sandbox.test', title: 'x'.repeat(60_000) });
		for (let index = 0; index < 1_200; index++)
			await ask(sandbox, 'POST /simulate/notifications/product-updates', { key: null, body });
		const stored = sandbox.requests.reduce((sum, entry) => sum + entry.body.length + entry.answerBody.length, 0);
		expect(stored).toBeLessThanOrEqual(16_777_216);
		expect(sandbox.requests.at(-1)!.body.slice(-30)).toMatch(/\(600\d\d characters\)$/);
	});

	it('bounds the size and number of notifications in memory', async () => {
		const sandbox = await sandboxFor({ requestsPerSecond: 1_000_000 });
		expect((await product(sandbox, { title: 'x'.repeat(257) })).status).toBe(400);
		expect((await product(sandbox, { body: 'x'.repeat(5_000) })).status).toBe(400);
		for (let index = 0; index < 1_010; index++) await product(sandbox, { title: `Update ${index}` });
		const { notifications } = sandbox.engine.state.accounts.get('trader')!;
		expect([notifications.length, notifications.at(-1)!.title]).toEqual([1_000, 'Update 1009']);
	});

	it('keeps of an order write only what it reads, whatever else the body carries', async () => {
		const sandbox = await sandboxFor();
		await create(sandbox, limit({ note: 'x'.repeat(50_000) }), { headers: { 'idempotency-key': 'large' } });
		const { fingerprint } = sandbox.engine.state.accounts.get('trader')!.idempotency.get('large')!;
		expect(fingerprint.length).toBeLessThan(64);
	});

	it('refuses a body above 64 KB', async () => {
		const sandbox = await sandboxFor();
		const answer = await create(sandbox, `{"client_order_id":"${'x'.repeat(70_000)}"}`).catch((error: Error) => error);
		expect(answer instanceof Error ? 413 : answer.status).toBe(413);
		await alive(sandbox);
	});
});

it.each([
	'/v1/ws?token=sandbox-key',
	'/v1/ws?tok%65n=sandbox-key',
	'/v1/ws?TOKEN=sandbox%2Dkey',
	'/v1/partner/exchange/orders/sandbox-key',
	'/v1/partner/exchange/orders?api_key=sandbox-key-second',
	'/v1/partner/exchange/orders?q=%73andbox-key',
])('logs no key of the path %s', async (path) => {
	const lines: string[] = [];
	const sandbox = await startSandbox({ log: (line) => lines.push(line) });
	await fetch(`${sandbox.url}${path}`);
	await until(() => lines.length > 0, { what: 'a line of the log' });
	const { recent_requests: recent } = (await (await fetch(`${sandbox.url}/_sandbox/state`)).json()) as {
		recent_requests: object;
	};
	const text = decodeURIComponent(`${lines.join()} ${JSON.stringify(sandbox.requests)} ${JSON.stringify(recent)}`);
	await sandbox.close();
	expect(text).not.toContain('sandbox-key');
	expect(text).toContain('<present>');
});
