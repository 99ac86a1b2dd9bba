import { until } from '../support/condition';
import { account, CONNECTED, node, openBench, tab, type Bench } from './flows';
import { tradingOn } from './trading';

describe('an events node of all pairs (checklist 125)', () => {
	let bench: Bench;
	const received = (id: string) =>
		bench.nodeRed.messages.filter(({ from, port }) => from === id && port === 0).map(({ message }) => message);

	beforeAll(async () => {
		bench = await openBench({ settings: { orderDelayMs: 0 }, marketMaker: false });
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('all', 'events', { topics: ['trades'], pairs: ['*'] }),
			...node('both', 'events', { topics: ['trades'], pairs: ['*', 'USD/NGN'] }, 1),
			...node('refused', 'events', { topics: ['trades'], pairs: ['#'] }, 2),
		]);
		for (const id of ['all', 'both']) await bench.nodeRed.waitForStatus(id, CONNECTED);
	});
	afterAll(async () => await bench.close());

	it('all pairs sends each trade under its exact topic, once where its pair is chosen too', async () => {
		tradingOn(bench.sandbox).fills(2);
		await until(() => received('all').length === 2 && received('both').length === 2, { what: 'the trades' });
		for (const id of ['all', 'both']) {
			expect(received(id).map(({ topic }) => topic)).toEqual(['trades.USD_NGN', 'trades.USD_NGN']);
			expect(new Set(received(id).map(({ event }) => (event as { eventKey: string }).eventKey)).size).toBe(2);
		}
	});

	it('all pairs stops the node with an error in words where the service refuses the pattern', async () => {
		const said = 'The service refuses the wildcard topic trades.#';
		await until(() => bench.nodeRed.log().includes(said), { what: 'the refusal' });
	});
});
