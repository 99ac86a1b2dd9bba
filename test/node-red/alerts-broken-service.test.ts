/** The alerts node where the service cannot answer a part: the rest is told, and the log names what is missing. */
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { until } from '../support/condition';
import { startNodeRed, type TestNodeRed } from '../support/node-red';
import { failure, startWire, success, type Wire } from '../support/wire';
import { account, node, packageFolder, tab } from './flows';

const LIST = 'GET /partner/wallets/transactions';
const BEGINS = Date.UTC(2026, 0, 15);
const row = (id: string, minute: number, status = 'completed') => ({
	...{ id, status, currency: 'NGN', rail: 'bank', amount: '1.00' },
	created_at: new Date(BEGINS + minute * 60_000).toISOString(),
});

describe('the alerts node of a service that cannot answer a part', () => {
	const old = Array.from({ length: 300 }, (_, index) => row(`old ${index}`, -index));
	let wire: Wire;
	let nodeRed: TestNodeRed;
	beforeAll(async () => void (nodeRed = await startNodeRed({ packages: [packageFolder] })));
	afterAll(async () => await nodeRed.stop());
	beforeEach(async () => void (wire = await startWire()));
	afterEach(async () => {
		await nodeRed.deploy([tab]);
		await wire.close();
	});

	/** The newest first; what lies behind the first page is refused. */
	const serve = (rows: readonly object[]): void =>
		void wire.on(LIST, (request: IncomingMessage, response: ServerResponse) => {
			const { offset = '0', limit = '100' } = Object.fromEntries(new URL(request.url!, 'http://h').searchParams);
			response.setHeader('date', new Date(BEGINS).toUTCString());
			if (Number(offset) > 0) response.statusCode = 400;
			const transactions = rows.slice(0, Number(limit));
			response.end(
				JSON.stringify(Number(offset) > 0 ? { message: 'too far' } : { status: 'success', data: { transactions } }),
			);
		});
	/** Deploys a node of its own, so that none has a position of another test. */
	const watch = async (id: string, more: object = {}): Promise<() => unknown[]> => {
		await nodeRed.deploy([
			...[tab, account({ baseUrl: wire.url, wsUrl: wire.account.wsUrl })],
			...node(id, 'alerts', { event: 'transaction', seconds: '1', ...more }, 1),
		]);
		return () =>
			nodeRed.messages.filter(({ from }) => from === id).map(({ message }) => (message.payload as { id: string }).id);
	};

	const stored = async (id: string): Promise<string> =>
		await readFile(join(nodeRed.userDir, 'partner-exchange', `${id}.json`), 'utf8').catch(() => '');

	it('begins, and tells what is new, though old pages are refused', async () => {
		serve(old);
		const told = await watch('pages');
		await nodeRed.waitForStatus('pages', /watching/);
		serve([row('new', 1), ...old]);
		await until(() => told().length > 0, { what: 'the new one' });
		expect(told()).toEqual(['new']);
		expect(nodeRed.log()).toContain('was not read to its end');
	});

	it('tells all others where one transaction cannot be read, and then that one', async () => {
		serve([row('stuck', 0, 'pending'), ...old.slice(0, 50)]);
		const told = await watch('one-record');
		await nodeRed.waitForStatus('one-record', /watching/);
		wire.on(`${LIST}/stuck`, failure(403, { message: 'not now' }));
		serve([row('new', 1), ...old.slice(0, 50)]);
		await until(() => told().length > 0, { what: 'the new one' });
		await until(() => nodeRed.log().includes('Transaction stuck cannot be read'), { what: 'the warning' });
		wire.on(`${LIST}/stuck`, success(row('stuck', 0)));
		await until(() => told().length > 1, { what: 'the stuck one' });
		expect(told()).toEqual(['new', 'stuck']);
	});

	it('tells nothing as new that a narrower filter had rejected', async () => {
		serve([row('first', 0)]);
		const told = await watch('filtered', { rail: 'tron' });
		await nodeRed.waitForStatus('filtered', /watching/);
		serve([row('rejected', 1), row('first', 0)]);
		await until(async () => (await stored('filtered')).includes('rejected'), { what: 'the rejected one to be known' });
		await watch('filtered');
		serve([row('new', 2), row('rejected', 1), row('first', 0)]);
		await until(() => told().length > 0, { what: 'the new one' });
		expect(told()).toEqual(['new']);
	});

	it('says that it found no list, with the fields it saw', async () => {
		wire.on(LIST, success({ deposits: [row('a', 0)], withdrawals: [] }));
		await watch('no-list');
		await until(() => nodeRed.log().includes('which has the fields deposits, withdrawals'), { what: 'the error' });
	});
});
