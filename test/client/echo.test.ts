import type { OperationId } from '@partner-exchange/core/catalogue';
import { spawnSync } from 'node:child_process';
import { bundle } from '../../bench/bundle';
import { leaksIn, spellings } from '../support/canary';
import { CANARY, success, useWire, wireClient } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';

const { wire } = useWire();

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

	it.each(['call', 'items', 'page'] as const)('refuses a key of the account in a list that %s reads', async (way) => {
		const apiKey = 'key-of-letters-and-digits-0123456789';
		const client = wireClient(wire, { apiKey });
		const query = { order_id: `mine-${apiKey}` };
		const list = async () => {
			if (way === 'items') return await client.items('fill.list', query).next();
			return await client[way]('fill.list', query);
		};
		await expect(list()).rejects.toThrow('(order_id) holds the key');
		expect(wire.received).toEqual([]);
	});

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
});
