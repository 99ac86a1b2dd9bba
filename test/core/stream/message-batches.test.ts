import { data, fill, openStage, order, trade } from './stage';

const TRADES = 'trades.USD_NGN';
const texts = (messages: readonly object[]) => messages.map((message) => JSON.stringify(message));

/** A subscriber of trades, once it is served. */
async function open() {
	const stage = openStage();
	const seen = stage.consume({
		topics: [TRADES],
		batchMax: 10,
	});
	await seen.subscription.ready;
	await stage.pass(100);
	return { ...stage, seen, socket: stage.sockets[0]! };
}

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const trades = (sequences: readonly number[]) => sequences.map((sequence) => data(TRADES, sequence, trade(sequence)));

describe('messages that arrive together', () => {
	it('delivers messages that arrive together in order, each once, with its own place', async () => {
		const { socket, seen, settled } = await open();
		const [first, second, ...others] = trades(numbers(1, 300));
		socket.sayTogether(texts([first!, second!, second!, ...others]));
		socket.sayTogether(texts([...others.slice(-1), ...trades(numbers(301, 2))]));
		await settled();
		expect(seen.events.map(({ seq, eventKey }) => [seq, eventKey])).toEqual(
			numbers(1, 302).map((sequence) => [sequence, `trade:trade-${sequence}`]),
		);
		expect(seen.subscription.counters()).toMatchObject({ received: 304, delivered: 302, duplicates: 2, gaps: 0 });
	});

	it('delivers messages that arrive together but for one that is no JSON, with exact amounts', async () => {
		const { socket, seen, settled } = await open();
		const [name, odd, exact, last] = texts(trades([1, 2, 3, 4]));
		socket.sayTogether([name!, odd!.replace('"side"', 'side'), exact!.replace('"1500"', '1500.00'), last!]);
		await settled();
		expect(seen.events.map(({ seq, data: payload }) => [seq, (payload as { price: string }).price])).toEqual([
			[1, '1500'],
			[3, '1500.00'],
			[4, '1500'],
		]);
		expect(seen.subscription.counters()).toMatchObject({ received: 3, ignored: 1, gaps: 0 });
	});

	it('delivers each of several messages that a service writes into one, a line each, also behind one nobody reads', async () => {
		const { socket, seen, settled } = await open();
		const unread = data('trades.GHS_NGN', 1, trade(11));
		const [first, ...others] = texts([unread, ...trades([1, 2]), { type: 'pong' }, ...trades([3])]);
		socket.sayText([first, ...others].join('\n'));
		socket.sayText(texts(trades([4, 5])).join('\r\n') + '\n');
		socket.sayText(JSON.stringify(trades([6])[0], null, 2));
		await settled();
		expect(seen.events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
		expect(seen.subscription.counters()).toMatchObject({ received: 6, gaps: 0, ignored: 0 });
	});

	it('delivers a message that begins with a byte order mark', async () => {
		const { socket, seen, settled } = await open();
		socket.sayTogether(texts(trades([1, 2])).map((text) => `\ufeff${text}`));
		await settled();
		expect(seen.events.map(({ seq }) => seq)).toEqual([1, 2]);
	});

	it('delivers no message behind one that ended the connection', async () => {
		const { socket, seen, settled } = await open();
		const [before, behind] = [texts(trades([1, 2])), texts(trades([3, 4]))];
		socket.sayTogether([...before, '{"type":"rate_limited"}', ...behind]);
		await settled();
		expect(socket.isTerminated).toBe(true);
		expect(seen.events.map(({ seq }) => seq)).toEqual([1, 2]);
		expect(seen.subscription.counters().received).toBe(2);
	});

	it('delivers messages of different topics that arrive together, some of which nobody reads', async () => {
		const { socket, consume, seen, pass, settled } = await open();
		const second = consume({ topics: ['trades.GHS_NGN'] });
		await second.subscription.ready;
		await pass(100);
		socket.sayTogether(
			texts([
				data('trades.GHS_NGN', 1, trade(11)),
				data('trades.NGN_KES', 1, trade(12)),
				...trades([1]),
				{ type: 'pong' },
				data('trades.GHS_NGN', 2, { trades: [trade(13), trade(14)] }),
				...trades([2]),
			]),
		);
		await settled();
		expect(seen.keys()).toEqual(['trade:trade-1', 'trade:trade-2']);
		expect(second.keys()).toEqual(['trade:trade-11', 'trade:trade-13', 'trade:trade-14']);
	});

	it('delivers messages that arrive together of records that are no trades', async () => {
		const { consume, sockets, settled } = openStage();
		const seen = consume({ topics: ['user.fills', 'user.orders'] });
		await seen.subscription.ready;
		sockets[0]!.sayTogether(
			texts([
				data('user.fills', 1, fill('f1')),
				data('user.orders', 1, order('o1', 'accepted')),
				data('user.fills', 2, fill('f2')),
				data('user.orders', 2, order('o1', 'partially_filled', '10')),
			]),
		);
		await settled();
		expect(seen.events.map(({ topic, seq }) => [topic, seq])).toEqual([
			['user.fills', 1],
			['user.orders', 1],
			['user.fills', 2],
			['user.orders', 2],
		]);
	});
});
