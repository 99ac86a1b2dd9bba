import { request } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { routeOf, operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { ACCESS_CLASSES, startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { ask, command, limit, listenTo, place, sandboxFor, sandboxForEach } from './connection';

const sandbox = sandboxForEach();

/** The status of a request whose headers can be set freely. */
const statusOf = (sandbox: Sandbox, path: string, headers: Record<string, string>, method = 'GET'): Promise<number> =>
	new Promise((resolve, reject) => {
		const { hostname, port } = new URL(sandbox.url);
		const outgoing = request({ hostname, port, path, headers, method }, (incoming) => {
			incoming.resume();
			resolve(incoming.statusCode ?? 0);
		});
		outgoing.on('error', reject);
		outgoing.end();
	});

const routed = operationIds.flatMap((id) => {
	const { access } = operationOf(id);
	const route = routeOf(operationOf(id));
	return route ? [{ id, access, line: route.replace(/\{\w+\}/, 'USD%2FNGN') }] : [];
});
const keyed = routed.filter(({ access }) => access !== 'public');
const withBody = (line: string) => (line.startsWith('GET') || line.startsWith('DELETE') ? undefined : '{"nonsense":');

describe('authentication', () => {
	it.each(keyed)('checks the key before anything else on $id', async ({ line }) => {
		for (const key of [null, 'nonsense', 'sandbox-key-inactive', 'sandbox-key-production', 'k'.repeat(5_000)]) {
			expect((await ask(sandbox, line, { key, body: withBody(line) })).status).toBe(401);
		}
	});

	it('refuses a staging key in production, and the reverse', async () => {
		const sandbox = await sandboxFor({ production: true });
		expect((await ask(sandbox, 'GET /partner/exchange/markets')).status).toBe(401);
		expect((await ask(sandbox, 'GET /partner/exchange/markets', { key: 'sandbox-key-production' })).status).toBe(200);
		await expect(listenTo(sandbox, 'sandbox-key')).rejects.toThrow('401');
	});
});

describe('access', () => {
	it.each(ACCESS_CLASSES)('opens with %s access alone the routes of that class and no others', async (access) => {
		const sandbox = await sandboxFor({ keys: [{ key: 'narrow', access: [access] }] });
		for (const { line, access: needed } of keyed) {
			const { status } = await ask(sandbox, line, { key: 'narrow' });
			if (needed === access) expect([200, 201, 400, 404]).toContain(status);
			else expect(status).toBe(403);
		}
	});

	it('separates the access to execute orders from the access to create them', async () => {
		const order = await place(sandbox);
		const [creator, executor] = [
			await listenTo(sandbox, 'sandbox-key-order-create'),
			await listenTo(sandbox, 'sandbox-key-order-execute'),
		];
		expect(await command(creator, { action: 'order_cancel', order_id: order.id })).toMatchObject({ code: 'FORBIDDEN' });
		expect(await command(executor, { ...limit(), action: 'order_create' })).toMatchObject({ code: 'FORBIDDEN' });
		expect(await command(executor, { action: 'order_cancel', order_id: order.id })).toMatchObject({
			type: 'command_ack',
		});
	});

	it('never shows or changes what belongs to another account', async () => {
		const order = await place(sandbox);
		const { json } = await ask(sandbox, 'POST /simulate/fiat/deposits', {
			key: null,
			body: { email: 'trader@sandbox.test', amount: '5.00', currency: 'NGN' },
		});
		const recipient = await ask(sandbox, 'POST /partner/wallets/recipients', {
			body: { recipient_type: 'fiat', currency: 'NGN', label: 'Rent', bank_code: '058', account_number: '0123456789' },
		});
		const lines = [
			`GET /partner/exchange/orders/${order.id}`,
			`GET /partner/wallets/transactions/${json.data!.id}`,
			`PATCH /partner/wallets/recipients/${recipient.json.data!.id}`,
			`DELETE /partner/wallets/recipients/${recipient.json.data!.id}`,
		];
		for (const line of lines) {
			const body = line.startsWith('PATCH') ? { label: 'Mine' } : undefined;
			expect((await ask(sandbox, line, { key: 'sandbox-key-second', body })).status).toBe(404);
		}
	});
});

describe('the port', () => {
	it('refuses a foreign Host and a foreign Origin, on HTTP and on the stream', async () => {
		const path = '/v1/partner/wallets/chains';
		const { host } = new URL(sandbox.url);
		expect(await statusOf(sandbox, path, { host: 'evil.example' })).toBe(403);
		expect(await statusOf(sandbox, path, { host: 'localhost' })).toBe(200);
		expect(await statusOf(sandbox, path, { host, origin: 'https://evil.example' })).toBe(403);
		expect(await statusOf(sandbox, path, { host, origin: `http://${host}` })).toBe(200);
		const upgrade = {
			connection: 'Upgrade',
			upgrade: 'websocket',
			'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
			'sec-websocket-version': '13',
		};
		expect(await statusOf(sandbox, '/v1/ws', { ...upgrade, host, origin: 'https://evil.example' })).toBe(403);
		expect(await statusOf(sandbox, '/_sandbox/state', { host: 'evil.example' })).toBe(403);
	});

	it('refuses form posts, so that no page can make the sandbox act', async () => {
		const body = '{"email":"trader@sandbox.test","amount":"5.00","currency":"NGN"}';
		const asking = { key: null, body, headers: { 'content-type': 'text/plain' } };
		expect((await ask(sandbox, 'POST /simulate/fiat/deposits', asking)).status).toBe(415);
		const reset = await fetch(`${sandbox.url}/_sandbox/reset`, {
			method: 'POST',
			headers: { 'content-type': 'text/plain' },
		});
		expect(reset.status).toBe(400);
	});

	it('refuses to listen beyond this machine unless a flag insists', async () => {
		await expect(startSandbox({ host: '0.0.0.0' })).rejects.toThrow('--allow-remote');
	});

	it('listens at 127.0.0.1 alone, and at every address when a flag insists', async () => {
		const opens = async (sandbox: Sandbox, host: string) =>
			await new Promise<boolean>((resolve) => {
				const socket = connect(Number(new URL(sandbox.url).port), host, () => resolve(true));
				socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
			});
		const another = Object.values(networkInterfaces())
			.flatMap((each) => each ?? [])
			.find(({ family, internal }) => family === 'IPv4' && !internal);
		const [local, everywhere] = [await sandboxFor(), await sandboxFor({ host: '0.0.0.0', allowRemote: true })];
		const answers = await Promise.all(
			['127.0.0.1', another?.address ?? '127.0.0.2'].flatMap((host) => [opens(local, host), opens(everywhere, host)]),
		);
		expect(answers).toEqual([true, true, false, true]);
	});

	it('logs requests and stream addresses without the key', async () => {
		const lines: string[] = [];
		const sandbox = await sandboxFor({ log: (line) => lines.push(line) });
		await listenTo(sandbox, 'sandbox-key');
		await ask(sandbox, 'GET /partner/exchange/markets');
		expect(lines.join('\n')).toContain('/v1/ws?token=<present>');
		expect(lines.join('\n') + JSON.stringify(sandbox.requests)).not.toContain('sandbox-key');
		expect(sandbox.requests[1]).toMatchObject({ method: 'GET', headers: { 'x-api-key': '<present>' } });
	});

	it.each([
		['encoded twice', '?apiKey=%2573andbox%252Dkey', {}],
		['encoded twice under another name', '?note=%2573andbox%252Dkey', {}],
		['beside a broken percent sign', '?note=%ff%73andbox-key', {}],
		['in a header of another name', '', { 'Api-Key': 'sandbox-key', 'X-Forwarded-Api-Key': 'sandbox-key' }],
		['in the address it came from', '', { Referer: 'http://127.0.0.1/?token=sandbox%2Dkey' }],
		['in credentials for a proxy', '', { 'Proxy-Authorization': 'Basic sandbox-key' }],
		['in a header that is shown', '', { 'User-Agent': 'client/sandbox-key' }],
	])('logs no key that stands %s', async (_, search, headers) => {
		const lines: string[] = [];
		const sandbox = await sandboxFor({ log: (line) => lines.push(line) });
		await fetch(`${sandbox.baseUrl}/partner/exchange/markets${search}`, { headers });
		const text = lines.join('\n') + JSON.stringify(sandbox.requests);
		expect(text).toContain('/markets');
		expect(text.replaceAll(/%25/g, '%').replaceAll(/%73/g, 's').replaceAll(/%2D/gi, '-')).not.toContain('sandbox-key');
	});
});
