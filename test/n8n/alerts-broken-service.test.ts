/** Wallet triggers where the service cannot answer a part: the rest is told, and n8n's log names what is missing. */
import type { IDataObject } from 'n8n-workflow';
import { PartnerExchangeAlertTrigger } from '../../nodes/PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
import { startPolls } from '../support/engine-trigger';
import { oldTransactions as old, serveFirstPage, transaction, TRANSACTIONS } from '../support/refused-pages';
import { failure, success, useWire } from '../support/wire';
import { credentialFor } from './exchange';

const { wire } = useWire();

const polls = () =>
	startPolls(PartnerExchangeAlertTrigger, {
		...credentialFor({ baseUrl: wire.url, wsUrl: wire.account.wsUrl }),
		parameters: { event: 'transaction', filters: {}, options: {} },
	});
const ids = ({ items }: { items: IDataObject[] }): unknown[] => items.map(({ id }) => id);

describe('the alert trigger of a service that cannot answer a part', () => {
	it('the alert trigger begins, and tells what is new, though old pages are refused', async () => {
		serveFirstPage(wire, old);
		const poll = polls();
		expect(ids(await poll())).toEqual([]);
		serveFirstPage(wire, [transaction('new', 1), ...old]);
		const { staticData, ...told } = await poll();
		expect(ids(told)).toEqual(['new']);
		expect(JSON.stringify(staticData)).toContain('was not read to its end');
	});

	it('the alert trigger tells all others where one transaction cannot be read, and then that one', async () => {
		serveFirstPage(wire, [transaction('stuck', 0, 'pending'), ...old.slice(0, 50)]);
		const poll = polls();
		await poll();
		serveFirstPage(wire, [transaction('new', 1), ...old.slice(0, 50)]);
		wire.on(`${TRANSACTIONS}/stuck`, failure(403, { message: 'not now' }));
		const { staticData, ...told } = await poll();
		expect(ids(told)).toEqual(['new']);
		expect(JSON.stringify(staticData)).toContain('Transaction stuck cannot be read');
		wire.on(`${TRANSACTIONS}/stuck`, success(transaction('stuck', 0)));
		expect(ids(await poll())).toEqual(['stuck']);
	});

	it('the alert trigger fails where the answer shows no list, and names the fields it saw', async () => {
		wire.on(TRANSACTIONS, success({ deposits: [transaction('a', 0)], withdrawals: [] }));
		await expect(polls()()).rejects.toThrow('which has the fields deposits, withdrawals');
	});
});
