import { until } from '../support/condition';
import { openCommonBench } from './common-bench';
import { account, call, CONNECTED, node, payloadOf, tab } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

/** Without a key nothing can be backfilled, so events missed before a new connection are a gap. */
describe('what an events node tells beside events', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 }, marketMaker: false }));
	const trades = { topics: ['trades'], pairs: ['USD/NGN'] };
	const from = (id: string, port: number) =>
		bench.nodeRed.messages.filter((wire) => wire.from === id && wire.port === port).map(({ message }) => message);
	const gapsOf = (id: string, port: number) =>
		from(id, port).filter(({ event }) => (event as { kind?: string } | undefined)?.kind === 'gap');

	beforeAll(async () => {
		bench.sandbox.faults.arm({ kind: 'forbidden', operation: 'fill.list', times: 100 });
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox, { credentials: { apiKey: '' } }),
			...node('telling', 'events', { ...trades, notices: true, outputs: 2 }),
			...node('silent', 'events', { ...trades, outputs: 1 }, 1),
			...node('asking', 'stream-status'),
			account(bench.sandbox, { id: 'account-keyed' }),
			...node('unreadable', 'events', { topics: ['user.fills'], account: 'account-keyed' }),
			account(bench.sandbox, { id: 'account-away', wsUrl: 'ws://127.0.0.1:1024/v1/ws', allowDifferentHosts: true }),
			...node('away', 'events', { ...trades, account: 'account-away', notices: true, outputs: 2 }),
		]);
		for (const id of ['telling', 'silent']) await bench.nodeRed.waitForStatus(id, CONNECTED);
		tradingOn(bench.sandbox).fills(1);
		await until(() => from('telling', 0).length === 1 && from('silent', 0).length === 1, { what: 'a trade' });
		bench.sandbox.faults.arm({ kind: 'drop-stream' });
		bench.sandbox.faults.arm({ kind: 'new-epoch' });
	});

	it('sends notices through the second output, or marked among the events of a node without that output', async () => {
		await until(() => gapsOf('telling', 1).length === 1 && gapsOf('silent', 0).length === 1, { what: 'the gaps' });
		expect(gapsOf('telling', 1)[0]).toMatchObject({
			topic: 'trades.USD_NGN',
			payload: { gap: { after_sequence: 1, before_sequence: null }, pair: 'USD_NGN', done: 'not_readable' },
			event: { kind: 'gap', eventKey: expect.stringMatching(/^gap:trades\.USD_NGN:[\w-]+:1:$/) as string },
		});
		expect(from('telling', 0)).toHaveLength(1);
		expect(bench.nodeRed.log()).toContain('Public Trades after 1 may be missing');
	});

	it('says once in the log that the list of a topic cannot be read', async () => {
		const said = () => bench.nodeRed.log().split('user.fills: Missed events of this topic cannot be').length - 1;
		await until(() => said() > 0, { what: 'the warning' });
		expect(said()).toBe(1);
	});

	it('says once, in the log and on its second output, that it cannot connect, and what to check', async () => {
		const warnings = () => bench.nodeRed.log().split('The Stream Address does not answer').length - 1;
		const told = () => from('away', 1).filter(({ payload }) => (payload as { kind: string }).kind === 'degraded');
		await until(() => told().length > 0, { what: 'the notice' });
		const triesOf = () =>
			from('away', 1).filter(({ payload }) => (payload as { state: string }).state === 'connecting');
		const before = triesOf().length;
		await until(() => triesOf().length > before, { what: 'another try' });
		expect(told()).toEqual([
			expect.objectContaining({ payload: expect.objectContaining({ text: expect.stringMatching(/proxy/) }) }),
		]);
		expect(warnings()).toBe(1);
	});

	it('counts the stream in a stream status node, without a key or a trade', async () => {
		const status = payloadOf(await call(bench.nodeRed, 'asking'));
		expect(status).toMatchObject({ running: true, totals: { subscribers: 2, gaps: 2 }, topics: [{ gaps: 2 }] });
		expect(JSON.stringify(status)).not.toMatch(/1500|api_?key/i);
	});
});
