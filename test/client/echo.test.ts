import { nodePorts, wsSocket } from '@partner-exchange/core/node';
import { checkService } from '../../packages/core/src/conformance/check';
import { tableOf, reportOf } from '../../packages/core/src/conformance/report';
import { data, fill, openStage } from '../core/stream/stage';
import { leaksIn, spellings } from '../support/canary';
import { CANARY, failure, success, useWire, wireClient } from '../support/wire';

const ORDERS = 'GET /partner/exchange/orders';

const { wire } = useWire();

/** How the bytes of a successful answer may repeat the key within a JSON text. */
const repeated: Readonly<Record<string, string>> = {
	'as JSON writes it': spellings(CANARY).JSON!,
	'with escaped slashes': spellings(CANARY)['JSON with escaped slashes']!,
	'in code points': spellings(CANARY)['JSON code points']!,
	'as an address writes it': encodeURIComponent(CANARY),
	'in lower-case percent signs': encodeURIComponent(CANARY).replace(/%../g, (sign) => sign.toLowerCase()),
};
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
		const ports = { ...nodePorts(), openSocket: wsSocket };
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
