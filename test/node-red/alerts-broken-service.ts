/** The alerts node where the service cannot answer a part: the rest is told, and the log names what is missing. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { until } from '../support/condition';
import { startWire, type Wire } from '../support/wire';
import { openCommonBench } from './common-bench';
import { account, node, tab, type Bench } from './flows';

const BEGINS = Date.UTC(2026, 0, 15);
const row = (id: string, minute: number) => ({
	...{ id, status: 'completed', currency: 'NGN', rail: 'bank', amount: '1.00' },
	created_at: new Date(BEGINS + minute * 60_000).toISOString(),
});

describe('the alerts node of a service that cannot answer a part', () => {
	const old = Array.from({ length: 300 }, (_, index) => row(`old ${index}`, -index));
	let bench: Bench;
	let wire: Wire;
	beforeAll(async () => {
		bench = await openCommonBench();
		wire = await startWire();
	});
	afterAll(async () => {
		await bench.close();
		await wire.close();
	});

	/** The newest first; what lies behind the first page is refused. */
	const serve = (rows: readonly object[]): void =>
		void wire.on('GET /partner/wallets/transactions', (request: IncomingMessage, response: ServerResponse) => {
			const { offset = '0', limit = '100' } = Object.fromEntries(new URL(request.url!, 'http://h').searchParams);
			response.setHeader('date', new Date(BEGINS).toUTCString());
			if (Number(offset) > 0) response.statusCode = 400;
			const transactions = rows.slice(0, Number(limit));
			response.end(
				JSON.stringify(Number(offset) > 0 ? { message: 'too far' } : { status: 'success', data: { transactions } }),
			);
		});

	it('begins, and tells what is new, though old pages are refused', async () => {
		const { nodeRed } = bench;
		const told = () => nodeRed.messages.flatMap(({ from, message }) => (from === 'pages' ? [message.payload] : []));
		serve(old);
		await nodeRed.deploy([
			...[tab, account({ baseUrl: wire.url, wsUrl: wire.account.wsUrl })],
			...node('pages', 'alerts', { event: 'transaction', seconds: '1' }, 1),
		]);
		await nodeRed.waitForStatus('pages', /watching/);
		serve([row('new', 1), ...old]);
		await until(() => told().length > 0, { what: 'the new one' });
		expect(told()).toMatchObject([{ id: 'new' }]);
		expect(nodeRed.log()).toContain('was not read to its end');
	});
});
