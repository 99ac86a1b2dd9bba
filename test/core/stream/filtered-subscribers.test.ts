import { storedIn } from './checkpoint-stage';
import { data, fill, openStage, trade } from './stage';

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
	it('a filtered subscriber counts dropped messages, whenever its status is read', async () => {
		const { wanting, others, say, settled } = await openMarket();
		say(1, 5);
		await settled();
		expect(wanting.keys()).toHaveLength(5);
		for (const { subscription, events } of others) {
			expect(subscription.counters()).toMatchObject({ received: 5, filtered: 5, duplicates: 0, delivered: 0 });
			expect(events).toEqual([]);
		}
		say(6, 6);
		await settled();
		expect(others[0]!.subscription.counters()).toMatchObject({ received: 6, filtered: 6 });
	});

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

	it('a filtered subscriber does not hold the position back after a reconnect', async () => {
		const { say, sockets, pass } = await openMarket();
		say(1, 20);
		sockets[0]!.close();
		await pass(9_000);
		expect(sockets[1]!.sent[0]).toMatchObject({ resume: { 'trades.USD_NGN': { seq: 20 } } });
	});

	it('a filtered subscriber stores its position while messages come, although nobody asks for it', async () => {
		const { others, say, pass } = await openMarket();
		for (let seq = 1; seq <= 12; seq += 1) {
			say(seq, seq);
			await pass(1_000);
		}
		expect(storedIn(others[0]!.positions)['trades.USD_NGN']!.seq).toBeGreaterThanOrEqual(9);
	});

	it('a fill that a filter rejected is no news once the filter is widened', async () => {
		const stage = openStage();
		const narrow = stage.consume({ topics: ['user.fills'], filters: { sides: ['sell'] } });
		await narrow.subscription.ready;
		stage.sockets[0]!.say(data('user.fills', 1, { ...fill('bought'), side: 'buy' }));
		stage.sockets[0]!.say(data('user.fills', 2, { ...fill('sold', 'order-2'), side: 'sell' }));
		await stage.settled();
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
