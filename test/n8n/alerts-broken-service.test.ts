/** Wallet triggers where the service cannot answer a part: the rest is told, and n8n's log names what is missing. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { startPolls } from '../support/engine-trigger';
import { failure, success, useWire } from '../support/wire';
import { credentialFor } from './exchange';

const LIST = 'GET /partner/wallets/transactions';
const BEGINS = Date.UTC(2026, 0, 15);
const { wire } = useWire();

const row = (id: string, minute: number, status = 'completed') => ({
	...{ id, status, currency: 'NGN', rail: 'bank', amount: '1.00' },
	created_at: new Date(BEGINS + minute * 60_000).toISOString(),
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
const polls = () =>
	startPolls(PartnerExchangeAlertTrigger, {
		...credentialFor({ baseUrl: wire.url, wsUrl: wire.account.wsUrl }),
		parameters: { event: 'transaction', filters: {}, options: {} },
	});
const ids = ({ items }: { items: IDataObject[] }): unknown[] => items.map(({ id }) => id);

describe('the alert trigger of a service that cannot answer a part', () => {
	const old = Array.from({ length: 300 }, (_, index) => row(`old ${index}`, -index));

	it('the alert trigger begins, and tells what is new, though old pages are refused', async () => {
		serve(old);
		const poll = polls();
		expect(ids(await poll())).toEqual([]);
		serve([row('new', 1), ...old]);
		const { staticData, ...told } = await poll();
		expect(ids(told)).toEqual(['new']);
		expect(JSON.stringify(staticData)).toContain('was not read to its end');
	});

	it('the alert trigger tells all others where one transaction cannot be read, and then that one', async () => {
		serve([row('stuck', 0, 'pending'), ...old.slice(0, 50)]);
		const poll = polls();
		await poll();
		serve([row('new', 1), ...old.slice(0, 50)]);
		wire.on(`${LIST}/stuck`, failure(403, { message: 'not now' }));
		const { staticData, ...told } = await poll();
		expect(ids(told)).toEqual(['new']);
		expect(JSON.stringify(staticData)).toContain('Transaction stuck cannot be read');
		wire.on(`${LIST}/stuck`, success(row('stuck', 0)));
		expect(ids(await poll())).toEqual(['stuck']);
	});

	it('the alert trigger fails where the answer shows no list, and names the fields it saw', async () => {
		wire.on(LIST, success({ deposits: [row('a', 0)], withdrawals: [] }));
		await expect(polls()()).rejects.toThrow('which has the fields deposits, withdrawals');
	});
});
