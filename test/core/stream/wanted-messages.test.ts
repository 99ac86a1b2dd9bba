import { checkpointOf } from './checkpoint-stage';
import { data, fill, openStage, order, trade } from './stage';

const PAIRS = ['trades.USD_NGN', 'trades.GHS_NGN'];

describe('messages that nobody wants', () => {
	it('tells nobody of a topic nobody asked for, and counts as ignored what is no message', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.fills'] });
		await seen.subscription.ready;
		sockets[0]!.say(data('user.orders', 1, order('o1', 'accepted')));
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect(seen.keys()).toEqual(['fill:f1:order-1']);
		expect(seen.subscription.counters()).toMatchObject({ received: 1, ignored: 0 });
		sockets[0]!.sayText('{"type":"data","topic":"user.fills","seq":1,"epoch":"e1","ts":"2026","data":{');
		expect(seen.subscription.counters().ignored).toBe(1);
	});

	it('drops messages of a pair no filter passes, and tells them to whoever joins without one', async () => {
		const { sockets, consume, settled, pass } = openStage();
		const only = consume({ topics: PAIRS, filters: { pairs: ['USD/NGN'] } });
		await only.subscription.ready;
		sockets[0]!.say(data('trades.GHS_NGN', 1, trade(1)));
		sockets[0]!.say(data('trades.USD_NGN', 1, trade(1)));
		await pass(100);
		expect(only.events.map(({ topic }) => topic)).toEqual(['trades.USD_NGN']);
		expect(only.subscription.counters()).toMatchObject({ received: 2, filtered: 1, ignored: 0 });
		const all = consume({ topics: PAIRS });
		await all.subscription.ready;
		sockets[0]!.say(data('trades.GHS_NGN', 2, trade(2)));
		await settled();
		expect(all.keys()).toEqual(['trade:trade-2']);
	});

	it('drops messages that repeat, however much later, even where a status may return', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.orders'], batchMax: 100 });
		await seen.subscription.ready;
		const says = (seq: number, status: string, id = 'o1') =>
			sockets[0]!.say(data('user.orders', seq, order(id, status)));
		says(1, 'odd');
		says(2, 'even');
		says(1, 'odd');
		for (let seq = 3; seq <= 20; seq += 1) says(seq, 'odd', `other-${seq}`);
		says(1, 'odd');
		says(21, 'odd');
		await settled();
		expect(seen.events.map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
		expect(seen.subscription.counters()).toMatchObject({ received: 23, delivered: 21, duplicates: 2 });
	});
});

describe('messages that are told', () => {
	it('tells what repeats to a subscriber that did not have it', async () => {
		const { sockets, consume, settled } = openStage();
		const early = consume({ topics: ['user.fills'] });
		await early.subscription.ready;
		const message = data('user.fills', 2, fill('f2'));
		sockets[0]!.say(message);
		const late = consume({
			topics: ['user.fills'],
			checkpoint: checkpointOf({ 'user.fills': { epoch: 'e1', seq: 1 } }),
		});
		await settled();
		sockets[0]!.say(message);
		await late.subscription.ready;
		await settled();
		expect([early.keys(), late.keys()]).toEqual([['fill:f2:order-1'], ['fill:f2:order-1']]);
	});

	it('tells two equal events of messages without numbers', async () => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.orders'] });
		await seen.subscription.ready;
		for (const status of ['odd', 'even', 'odd']) sockets[0]!.say(data('user.orders', undefined, order('o1', status)));
		await settled();
		expect(seen.keys()).toEqual(['order:o1:odd:0', 'order:o1:even:0', 'order:o1:odd:0']);
	});

	it.each([
		['another order of names', '{"seq":1,"topic":"user.fills","type":"data","epoch":"e1","data":{"id":"f1"}}'],
		['spaces', '{ "type": "data", "topic": "user.fills", "seq": 1, "epoch": "e1", "data": { "id": "f1" } }'],
		['an escaped topic', '{"type":"data","topic":"user\\u002efills","seq":1,"epoch":"e1","data":{"id":"f1"}}'],
	])('tells messages with %s', async (_, text) => {
		const { sockets, consume, settled } = openStage();
		const seen = consume({ topics: ['user.fills'] });
		await seen.subscription.ready;
		sockets[0]!.sayText(text);
		await settled();
		expect(seen.keys()).toEqual(['fill:f1']);
	});
});
