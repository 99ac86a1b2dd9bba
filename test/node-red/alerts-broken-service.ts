/** The alerts node where the service cannot answer a part: the rest is told, and the log names what is missing. */
import { until } from '../support/condition';
import { oldTransactions as old, serveFirstPage, transaction } from '../support/refused-pages';
import { startWire } from '../support/wire';
import { openCommonBench } from './common-bench';
import { account, node, tab } from './flows';
import { forAll } from '../support/opened';

describe('the alerts node of a service that cannot answer a part', () => {
	const bench = forAll(() => openCommonBench());
	const wire = forAll(() => startWire());

	it('begins, and tells what is new, though old pages are refused', async () => {
		const { nodeRed } = bench;
		const told = () => nodeRed.messages.flatMap(({ from, message }) => (from === 'pages' ? [message.payload] : []));
		serveFirstPage(wire, old);
		await nodeRed.deploy([
			...[tab, account({ baseUrl: wire.url, wsUrl: wire.account.wsUrl })],
			...node('pages', 'alerts', { event: 'transaction', seconds: '1' }, 1),
		]);
		await nodeRed.waitForStatus('pages', /watching/);
		serveFirstPage(wire, [transaction('new', 1), ...old]);
		await until(() => told().length > 0, { what: 'the new one' });
		expect(told()).toMatchObject([{ id: 'new' }]);
		expect(nodeRed.log()).toContain('was not read to its end');
	});
});
