import type { Sandbox } from '@partner-exchange/sandbox';
import { ask, create, limit, listenTo, sandboxFor, sandboxForEach } from './connection';

const sandbox = sandboxForEach();

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
		sandbox.faults.arm({ kind: 'hang', operation: 'order.create', apiKey: 'another-key' });
		const line = await listenTo(sandbox, 'sandbox-key');
		line.send(text);
		await line.hears(({ type }) => type === 'error', 'an error');
		await alive(sandbox);
	});

	it('refuses a deeply nested or very wide request', async () => {
		expect((await create(sandbox, nested(DEEP))).status).toBe(400);
		expect((await create(sandbox, `{"a":[${'1,'.repeat(30_000)}1]}`)).status).toBe(404);
		await alive(sandbox);
	});
});

describe('the control', () => {
	const odd = ['{"toString":0}', '{"toString":0,"valueOf":0}', '[{"toString":1}]', 'null', '{"__proto__":null}'];

	it('survives a value that throws when it is converted, in any control field of any route', async () => {
		const { routes } = (await (await fetch(`${sandbox.url}/_sandbox/routes`)).json()) as Routes;
		let requestCount = 0;
		for (const { name, body: schema } of routes) {
			const [method, path] = name.split(' ') as [string, string];
			const names = Object.keys(schema?.properties ?? {});
			for (const value of names.length === 0 ? [] : odd) {
				const body = `{${names.map((field) => `"${field}":${value}`).join(',')}}`;
				for (const each of [body, ...names.map((field) => `{"${field}":${value}}`)]) {
					const headers = { 'content-type': 'application/json' };
					const answer = await fetch(`${sandbox.url}/_sandbox/${path}`, { method, headers, body: each });
					expect({ name, body: each, failed: answer.status >= 500 }).toMatchObject({ failed: false });
					requestCount += 1;
				}
			}
		}
		expect(requestCount).toBeGreaterThan(100);
		await alive(sandbox);
	});

	it.each(odd)('answers a command while a fault is armed for it with the odd value %s', async (value) => {
		sandbox.faults.arm({ kind: 'hang', operation: 'order.create', idempotencyKey: 'another' });
		const line = await listenTo(sandbox, 'sandbox-key');
		line.send(`{"type":"command","action":"order_create","request_id":${value},"idempotency_key":${value}}`);
		await line.hears(({ type }) => type !== 'subscribed', 'an answer');
		await alive(sandbox);
	});
});

interface Routes {
	routes: { name: string; body?: { properties: object } }[];
}

describe('memory', () => {
	it('bounds the memory of logged request bodies', async () => {
		const sandbox = await sandboxFor({ requestsPerSecond: 1_000_000 });
		const body = JSON.stringify({ email: 'nobody@sandbox.test', title: 'x'.repeat(60_000) });
		for (let index = 0; index < 300; index++)
			await ask(sandbox, 'POST /simulate/notifications/product-updates', { key: null, body });
		const stored = sandbox.requests.reduce((sum, entry) => sum + entry.body.length + entry.answerBody.length, 0);
		expect(stored).toBeLessThanOrEqual(16_777_216);
		expect(sandbox.requests.at(-1)!.body.slice(-30)).toMatch(/\(600\d\d characters\)$/);
	});

	it('keeps of an order write only what it reads, whatever else the body carries', async () => {
		await create(sandbox, limit({ note: 'x'.repeat(50_000) }), { headers: { 'idempotency-key': 'large' } });
		const { fingerprint } = sandbox.engine.state.accounts.get('trader')!.idempotency.get('large')!;
		expect(fingerprint.length).toBeLessThan(64);
	});

	it('refuses a body above 64 KB', async () => {
		const answer = await create(sandbox, `{"client_order_id":"${'x'.repeat(70_000)}"}`).catch((error: Error) => error);
		expect(answer instanceof Error ? 413 : answer.status).toBe(413);
		await alive(sandbox);
	});
});
