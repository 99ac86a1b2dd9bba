import { until } from '../support/condition';
import { openCommonBench } from './common-bench';
import { account, CONNECTED, node, tab, call } from './flows';
import { tradingOn } from './trading';
import { forAll } from '../support/opened';

describe('the events node', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 } }));
	const trading = forAll(() => tradingOn(bench.sandbox));
	const received = () =>
		bench.nodeRed.messages
			.filter(({ from, port }) => from === 'listen' && port === 0)
			.map(({ message }) => message as { topic: string; payload: { id: string }; event: Record<string, unknown> });
	const everyFill = async (): Promise<void> => {
		const truth = await trading.truth();
		await until(() => truth.every((id) => received().some(({ payload }) => payload.id === id)), {
			what: 'every fill to arrive',
			seen: () => ({
				truth: truth.length,
				received: received().length,
				log: bench.nodeRed.log().slice(-800),
				statuses: bench.nodeRed.statuses.slice(-3),
			}),
		});
	};

	beforeAll(async () => {
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('listen', 'events', { topics: ['user.fills'], pairs: [], missed: true }),
			...node('order-for-invoice', 'create-order', {
				...{ pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '1.00', price: '1501.00' },
			}),
		]);
		await bench.nodeRed.waitForStatus('listen', CONNECTED);
	});

	it('the events node sends each fill with its topic, its data and its position on the stream', async () => {
		trading.fills(3);
		await everyFill();
		const [first] = received();
		expect(first).toMatchObject({ topic: 'user.fills', payload: { price: '1500.00' }, event: { delivery: 'live' } });
		expect(first!.event.eventKey).toEqual(expect.any(String));
		expect(new Set(received().map(({ event }) => event.eventKey)).size).toBe(3);
	});

	it('the events node tells a fill with the business key of its order', async () => {
		// At a price of its own: where no order shows a name, one like those before could not be told from them.
		await call(bench.nodeRed, 'order-for-invoice', { intentKey: 'invoice-17' });
		trading.fills(1);
		await until(
			() => received().some(({ payload }) => (payload as { business_key?: string }).business_key === 'invoice-17'),
			{
				what: 'the fill of the invoice',
				seen: () => received().map(({ payload }) => payload),
			},
		);
	});
});

describe('an events node of all pairs', () => {
	const bench = forAll(() => openCommonBench({ settings: { orderDelayMs: 0 }, marketMaker: false }));
	const received = (id: string) =>
		bench.nodeRed.messages.filter(({ from, port }) => from === id && port === 0).map(({ message }) => message);

	beforeAll(async () => {
		await bench.nodeRed.deploy([
			tab,
			account(bench.sandbox),
			...node('all', 'events', { topics: ['trades'], pairs: ['*'] }),
			...node('both', 'events', { topics: ['trades'], pairs: ['*', 'USD/NGN'] }, 1),
			...node('refused', 'events', { topics: ['trades'], pairs: ['#'] }, 2),
		]);
		for (const id of ['all', 'both']) await bench.nodeRed.waitForStatus(id, CONNECTED);
	});

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
