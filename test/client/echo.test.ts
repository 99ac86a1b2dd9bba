import type { OperationId } from '@partner-exchange/core/catalogue';
import { spawnSync } from 'node:child_process';
import { nodePorts } from '@partner-exchange/core/node';
import { checkService } from '../../packages/core/src/conformance/check';
import { tableOf, reportOf } from '../../packages/core/src/conformance/finding';
import { bundle } from '../../bench/bundle';
import { data, fill, openStage } from '../core/stream/stage';
import { leaksIn, spellings } from '../support/canary';
import { CANARY, failure, success, useWire, wireClient } from '../support/wire';
import { ExchangeError } from '@partner-exchange/core';
import { environments } from '@partner-exchange/core/catalogue';
import { leavingClient } from '../../packages/core/src/client/leaving';

const ORDERS = 'GET /partner/exchange/orders';

const { wire } = useWire();

const CONTROL_TOKEN = 'control-token-9d2';

/** How the bytes of a successful answer may repeat the key within a JSON text. */
const repeated = Object.fromEntries(
	Object.entries(spellings(CANARY)).map(([name, said]) => [
		name,
		name === 'plain text' ? spellings(CANARY).JSON! : said,
	]),
);

const places = (said: string): string =>
	`{"status":"success","data":{"orders":[{"id":"${said}","status":"open","label":"mine: ${said}!","${said}":{"deep":["${said}"]},` +
	'"pair_id":"USD/NGN","price":1500.10,"sequence":12345678901234567890,"note":"caf\\u00e9 \\"a\\/b\\" \\\\"}],"count":1}}';

describe('a key that the service repeats in a successful answer', () => {
	it.each(Object.entries(repeated))(
		'hides the key in values and names of an answer when it comes %s',
		async (_, said) => {
			wire.on(ORDERS, { body: places(said) });
			const client = wireClient(wire);
			const answer = await client.call('order.list', {});
			expect(leaksIn({ answer: JSON.stringify(answer) }, CANARY)).toEqual([]);
			// Everything else is as the service wrote it, the digits of its numbers included.
			expect(answer).toEqual({
				orders: [
					{
						id: '[hidden]',
						status: 'open',
						label: 'mine: [hidden]!',
						'[hidden]': { deep: ['[hidden]'] },
						pair_id: 'USD/NGN',
						price: '1500.10',
						sequence: '12345678901234567890',
						note: 'café "a/b" \\',
					},
				],
				count: 1,
			});
			for await (const item of client.items('order.list', {}))
				expect(leaksIn({ item: JSON.stringify(item) }, CANARY)).toEqual([]);
		},
	);

	it.each(['key!one', "key'two", 'key(three', 'key)four', 'key~five', "k!'()~*six"])(
		'hides the key %s where a service repeats the address of the stream',
		async (apiKey) => {
			const stage = openStage({ account: { apiKey: `${apiKey}-7890` } });
			stage.consume({ topics: ['user.fills'] });
			await stage.settled();
			const link = stage.sockets[0]!.url;
			await stage.stream.close();
			for (const said of [link, link.toLowerCase(), new URL(link).href, encodeURI(decodeURIComponent(link))]) {
				wire.on(ORDERS, success({ orders: [{ id: 'o1', status: 'open', link: said }] }));
				const answer = await wireClient(wire, { apiKey: `${apiKey}-7890` }).call('order.list', {});
				expect(answer).toMatchObject({ orders: [{ link: `${link.split('=')[0]}=[hidden]` }] });
			}
		},
	);

	it('hides the control token where the sandbox repeats it', async () => {
		wire.on('POST /_sandbox/reset', { body: `{"seed":"${CONTROL_TOKEN}","note":"a${CONTROL_TOKEN}"}` });
		const answer = await wireClient(wire, { controlToken: CONTROL_TOKEN }).sandbox.reset({});
		expect(JSON.stringify(answer)).not.toContain(CONTROL_TOKEN);
		expect(answer).toMatchObject({ note: 'a[hidden]' });
	});

	it.each(['client_order_id', 'business_key'])(
		'refuses a key of the account in %s before anything is sent',
		async (name) => {
			const order = { pair_id: 'USD/NGN', side: 'buy', order_type: 'market', quantity: '10', [name]: `mine-${CANARY}` };
			const { business_key, ...input } = order as Record<string, string>;
			const error: unknown = await wireClient(wire)
				.call<OperationId>('order.create', input, business_key === undefined ? {} : { options: { business_key } })
				.catch((reason: unknown) => reason);
			expect(error).toMatchObject({ code: 'invalid_input', field: name });
			expect(String(error)).toContain('holds the key');
			expect(leaksIn({ error: JSON.stringify(error) }, CANARY)).toEqual([]);
			expect(wire.received).toEqual([]);
		},
	);

	it('leaves words and amounts as they are that contain a short key by chance', async () => {
		wire.on(ORDERS, success({ orders: [{ id: 'pending-1', status: 'pending', quantity: '1500' }] }));
		const answer = await wireClient(wire, { apiKey: 'pending' }).call('order.list', {});
		expect(answer).toMatchObject({ orders: [{ id: 'pending-1', status: 'pending' }] });
	});

	it('hides the key in a text that never ends, without reading it again and again', async () => {
		const endless = `{"key":"${'\\"'.repeat(500_000)}${CANARY}`;
		wire.on(ORDERS, { body: endless });
		const error: unknown = await wireClient(wire)
			.call('order.list', {})
			.catch((reason: unknown) => reason);
		expect(error).toMatchObject({ code: 'malformed_response' });
		expect(leaksIn({ error: String(error) }, CANARY)).toEqual([]);
	});

	it('hides the key in 30 MB that repeat it without ending a process of a small heap', () => {
		const argv = ['--max-old-space-size=256', bundle('bench/echo.ts', 'echo'), CANARY, 'plain'];
		expect(spawnSync(process.execPath, argv)).toMatchObject({ status: 0, signal: null });
	});

	it.each(Object.entries(repeated))(
		'hides a repeated key in events, stored positions and acknowledgements when it comes %s',
		async (_, said) => {
			const stage = openStage({ account: { apiKey: CANARY } });
			const seen = stage.consume({ topics: ['user.fills'] });
			await seen.subscription.ready;
			const acknowledged = stage.stream.command('order_create', { pair_id: 'USD/NGN' });
			await stage.settled();
			const { request_id } = stage.sockets.flatMap(({ sent }) => sent).find(({ type }) => type === 'command')!;
			const message = JSON.stringify(data('user.fills', 1, { ...fill('f1'), label: 'KEY', KEY: 'is KEY' }, 'KEY'));
			stage.sockets[0]!.sayTogether([
				message.replaceAll('KEY', () => said),
				`{"type":"command_ack","request_id":"${String(request_id)}","action":"order_create","data":{"${said}":"${said}"}}`,
			]);
			await stage.settled();
			expect(seen.events).toMatchObject([
				{ epoch: '[hidden]', data: { label: '[hidden]', '[hidden]': 'is [hidden]' } },
			]);
			const texts = {
				events: JSON.stringify(seen.events),
				positions: JSON.stringify(seen.positions),
				acknowledged: JSON.stringify(await acknowledged),
			};
			expect(texts.positions).toContain('[hidden]');
			expect(leaksIn(texts, CANARY)).toEqual([]);
			await stage.stream.close();
		},
	);
});

describe('the check of a service', () => {
	it('shows in the check neither the key nor anything that steers a terminal', async () => {
		const said = `${CANARY}\u001b[2J\u0007\r\u009b31m\u202e`;
		const record = { id: said, pair_id: said, name: said, [said]: said, status: said };
		for (const route of ['markets', 'orders', 'fills'])
			wire.on(`GET /partner/exchange/${route}`, success({ [route]: [record], markets: [record] }));
		wire.on('GET /partner/wallets/transactions', failure(422, { message: said }));
		const ports = { ...nodePorts() };
		const findings = await checkService(wire.account, ports);
		const report = {
			table: tableOf(findings),
			report: reportOf(findings, wire.account.baseUrl),
			json: JSON.stringify(findings),
		};
		expect(leaksIn(report, CANARY)).toEqual([]);
		expect(Object.values(report).join('').replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
	});
});

const KEY = 'canary-key-7f3a';

const { call, items, context } = leavingClient({ environment: 'sandbox', ...environments.sandbox, apiKey: KEY }, true);

const errorOf = async (work: Promise<unknown>): Promise<unknown> =>
	await work.then(
		() => undefined,
		(error: unknown) => error,
	);

describe('what leaves a client for people to read', () => {
	it('passes an error without a secret as it is, and what is no error of ours', async () => {
		for (const error of [new ExchangeError('refused', { what: 'Too small' }), new TypeError(KEY)])
			expect(await errorOf(call(Promise.reject(error)))).toBe(error);
		expect(await call(Promise.resolve(7))).toBe(7);
	});

	it('passes an error with everything but the key', async () => {
		const facts = { operation: 'Create Order', field: 'price', status: 429, retryAfterMs: 3_000 };
		const words = (key: string) => ({
			...{ what: `It holds ${key}`, advice: `Do not send ${key}` },
			...{ serviceMessage: `unknown ${key}`, serviceCode: `E-${key}` },
		});
		const secret = new ExchangeError('rate_limited', {
			...{ ...facts, ...words(KEY) },
			details: { hint: `of ${KEY}`, attempts: 3 },
		});
		const error = (await errorOf(call(Promise.reject(secret)))) as ExchangeError;
		expect(JSON.stringify(error)).not.toContain(KEY);
		expect(error).toMatchObject({ code: 'rate_limited', ...facts, details: { attempts: 3 } });
		for (const text of [error.what, error.advice, error.serviceMessage, error.serviceCode, error.details.hint])
			expect(text).toMatch(/\w/);
		expect(error.what).toMatch(/^It holds \S/);
		expect(error.details.hint).toMatch(/^of \S/);
	});

	it('adds no detail of the service where the service said nothing', async () => {
		const error = (await errorOf(call(Promise.reject(new ExchangeError('refused', { what: KEY }))))) as ExchangeError;
		expect([error.serviceMessage, error.serviceCode]).toEqual([undefined, undefined]);
		expect(error.what).not.toContain(KEY);
	});

	it('passes every item, and the error that ends them without the key', async () => {
		const failing = async function* () {
			yield await Promise.resolve(1);
			throw new ExchangeError('refused', { what: KEY });
		};
		const seen: number[] = [];
		const error = await errorOf(
			(async () => {
				for await (const item of items(failing())) seen.push(item);
			})(),
		);
		expect(seen).toEqual([1]);
		expect((error as ExchangeError).what).not.toContain(KEY);
	});

	it('passes a warning without the key to its listener', () => {
		const warned: string[] = [];
		context({ warn: ({ text }) => warned.push(text) }).warn?.({ kind: 'news', text: `field ${KEY} is new` });
		expect(warned.join()).toMatch(/^field .* is new$/);
		expect(warned.join()).not.toContain(KEY);
		const nobody = { intent: 'a' };
		expect(context(nobody)).toBe(nobody);
	});
});
