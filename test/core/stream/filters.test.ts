import type { Item } from '@partner-exchange/core';
import { eventFilter } from '../../../packages/core/src/stream/filter';
import { orders } from '../../../packages/core/src/stream/topics/orders';
import { storedIn } from './checkpoint-stage';
import { data, fill, openStage, trade } from './stage';

describe('a filter', () => {
	const item = { side: 'buy', pair_id: 'USD/NGN', quantity: '10.0' };
	const event = (more: Item = {}) => ({ key: 'k', data: {}, item: { ...item, ...more } });

	it.each<[object, Item, boolean]>([
		[{}, {}, true],
		[{ sides: [] }, {}, true],
		[{ pairs: [' '] }, {}, true],
		[{ pairs: ['', 'EUR/NGN'] }, {}, false],
		[{ sides: ['buy', 'x'] }, {}, true],
		[{ sides: ['sell'] }, {}, false],
		[{ sides: ['Buy'], pairs: ['usd/ngn'] }, {}, true],
		[{ pairs: ['USD_NGN'] }, {}, true],
		[{ sides: ['sell'] }, { side: undefined }, true],
		[{ pairs: ['EUR/NGN'] }, {}, false],
		[{ pairs: ['USD/NGN'], sides: ['sell'] }, {}, false],
		[{ statuses: ['filled'] }, {}, true],
		[{ minQuantity: '10' }, {}, true],
		[{ minQuantity: ' 10.01 ' }, {}, false],
		[{ minQuantity: '11' }, { quantity: 'much' }, true],
		[{ minQuantity: '' }, { quantity: '0' }, true],
	])('the filter %j passes %j: %p', (filters, more, passes) => {
		expect(eventFilter(filters)(event(more), 'user.fills')).toBe(passes);
	});

	it('a filter of statuses is for orders, and one of pairs for topics too', () => {
		expect(
			eventFilter({ statuses: ['filled'] })(
				orders.identify({ id: 'a', status: 'accepted', filled_quantity: '0' })!,
				'user.orders',
			),
		).toBe(false);
		const spelt = orders.identify({ id: 'a', status: 'Partially Filled', filled_quantity: '1' })!;
		expect(eventFilter({ statuses: ['partially_filled'] })(spelt, 'user.orders')).toBe(true);
		expect(eventFilter({ minQuantity: '1' })({ key: 'k', data: {} }, 'user.fills')).toBe(true);
		const passes = (pairs: string[]) => (topic: string) => eventFilter({ pairs })({ key: 'k', data: {} }, topic);
		expect(['trades.USD_NGN', 'trades.EUR_NGN', 'user.fills', 'trades.*'].map(passes(['USD/NGN']))).toEqual([
			...[true, false, true, true],
		]);
		expect(passes(['usd_ngn'])('trades.USD_NGN')).toBe(true);
		expect(passes([])('trades.EUR_NGN')).toBe(true);
	});
});

const TOPICS = ['trades.USD_NGN'];

const OTHERS = { pairs: ['GHS/NGN'] };

/** One subscriber that wants the topic, and many whose filters let nothing of it pass. */
async function openMarket() {
	const stage = openStage();
	const wanting = stage.consume({ topics: TOPICS });
	const others = Array.from({ length: 3 }, () => stage.consume({ topics: TOPICS, filters: OTHERS }));
	await Promise.all([wanting, ...others].map(({ subscription }) => subscription.ready));
	// Live messages are held back until the first backfill is done.
	await stage.pass(100);
	const say = (from: number, to: number) => {
		for (let seq = from; seq <= to; seq += 1) stage.sockets[0]!.say(data('trades.USD_NGN', seq, trade(seq)));
	};
	return { ...stage, wanting, others, say };
}

describe('subscribers whose filters let nothing of a topic pass', () => {
	it("a filtered subscriber stops at the topic's position, and gets nothing earlier once its filter changes", async () => {
		const { others, say, consume, settled, pass } = await openMarket();
		say(1, 20);
		await settled();
		await others[0]!.subscription.close();
		expect(storedIn(others[0]!.positions)).toMatchObject({ 'trades.USD_NGN': { epoch: 'e1', seq: 20 } });
		say(21, 22);
		const after = consume({ topics: TOPICS, checkpoint: others[0]!.positions });
		await after.subscription.ready;
		say(23, 24);
		await settled();
		await pass(60_000);
		expect(after.keys()).not.toContain('trade:trade-20');
		expect(after.keys()).toEqual(expect.arrayContaining(['trade:trade-23', 'trade:trade-24']));
	});

	it('a fill that a filter rejected is no news once the filter is widened', async () => {
		const stage = openStage();
		const narrow = stage.consume({ topics: ['user.fills'], filters: { sides: ['sell'] } });
		await narrow.subscription.ready;
		await stage.say(
			data('user.fills', 1, { ...fill('bought'), side: 'buy' }),
			data('user.fills', 2, { ...fill('sold', 'order-2'), side: 'sell' }),
		);
		await narrow.subscription.close();
		stage.lists['fill.list'] = [
			{ ...fill('bought'), side: 'buy' },
			{ ...fill('sold', 'order-2'), side: 'sell' },
		];
		const wide = stage.consume({ topics: ['user.fills'], checkpoint: narrow.positions });
		await wide.subscription.ready;
		await stage.pass(60_000);
		expect([narrow.events.length, wide.keys()]).toEqual([1, []]);
	});
});
