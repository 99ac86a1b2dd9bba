import type { Item } from '@partner-exchange/core';
import { data, fill, openStage } from './stage';

const FILLS = { topics: ['user.fills'], batchMax: 100 };
const SHAPES: [string, (order: string) => Item][] = [
	['id', (order) => fill('trade-1', order)],
	['fill_id', (order) => ({ fill_id: 'trade-1', order_id: order, quantity: '10' })],
	['execution_id', (order) => ({ execution_id: 'trade-1', order_id: order, quantity: '10' })],
	['trade_id', (order) => ({ trade_id: 'trade-1', order_id: order, quantity: '10' })],
];

/** A listener that is up to date, and the two fills of a trade that happens now. */
async function openTrade(of: (order: string) => Item) {
	const stage = openStage();
	const listener = stage.consume(FILLS);
	await listener.subscription.ready;
	await stage.pass(25_000);
	const created_at = new Date(stage.time.now()).toISOString();
	return { ...stage, listener, maker: { ...of('maker'), created_at }, taker: { ...of('taker'), created_at } };
}

describe.each(SHAPES)('one trade that fills two orders of an account, its fills told by %s', (_, of) => {
	it('is two events, live and from the list, each once', async () => {
		const { sockets, lists, pass, listener, maker, taker } = await openTrade(of);
		sockets[0]!.say(data('user.fills', 1, maker));
		sockets[0]!.say(data('user.fills', 2, taker));
		lists['fill.list'] = [taker, maker];
		await pass(120_000);
		expect(listener.keys().toSorted()).toEqual(['fill:trade-1:maker', 'fill:trade-1:taker']);
	});

	it('is two events where the stream brought one of them', async () => {
		const { sockets, lists, pass, listener, maker, taker } = await openTrade(of);
		sockets[0]!.say(data('user.fills', 1, maker));
		lists['fill.list'] = [taker, maker];
		await pass(120_000);
		expect(listener.keys().toSorted()).toEqual(['fill:trade-1:maker', 'fill:trade-1:taker']);
	});

	it('is two events after a restart that knew one of them', async () => {
		const { sockets, lists, consume, pass, listener, maker, taker } = await openTrade(of);
		sockets[0]!.say(data('user.fills', 1, maker));
		await pass(1_000);
		await listener.subscription.close();
		lists['fill.list'] = [taker, maker];
		const after = consume({ ...FILLS, checkpoint: listener.positions });
		await pass(120_000);
		expect(after.keys()).toEqual(['fill:trade-1:taker']);
	});
});
