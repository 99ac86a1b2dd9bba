import { ExchangeError } from '@partner-exchange/core';
import { checkpointOf } from './checkpoint-stage';
import { data, fill, openStage, order, trade } from './stage';

const FILLS = { topics: ['user.fills'] };
const at = (epoch: string, seq: number) => ({ positions: { 'user.fills': { epoch, seq } } });
const STORED = checkpointOf({ 'user.fills': { epoch: 'e1', seq: 41, settled: 0 } });

describe('a replay that is not confirmed yet', () => {
	it('marks events as replayed that the service repeats before it confirms', async () => {
		const { sockets, consume, settled, pass } = openStage({ confirms: false });
		const seen = consume({ ...FILLS, checkpoint: STORED });
		await settled();
		const say = (...numbers: number[]) =>
			numbers.forEach((seq) => sockets.at(-1)!.say(data('user.fills', seq, fill(`f${seq}`))));
		say(42);
		sockets[0]!.say({ type: 'subscribed', topics: FILLS.topics, ...at('e1', 42) });
		say(43, 44, 45);
		await pass(40_000);
		say(46);
		await pass(20_000);
		sockets[0]!.close();
		await pass(9_000);
		say(43, 44, 45, 46, 47);
		sockets[1]!.say({ type: 'subscribed', topics: FILLS.topics, ...at('e1', 47) });
		say(48);
		await settled();
		expect(seen.events.map(({ seq, delivery }) => [seq, delivery])).toEqual([
			[42, 'replayed'],
			...[43, 44, 45, 46].map((seq) => [seq, 'live']),
			[47, 'replayed'],
			[48, 'live'],
		]);
	});

	it.each(['before', 'after'])(
		'sends no replay to a subscriber that joined while the connection was lost, %s its confirmation',
		async (when) => {
			const { sockets, consume, settled, pass, faults } = openStage({ confirms: false });
			const confirm = (seq: number) =>
				sockets.at(-1)!.say({ type: 'subscribed', topics: FILLS.topics, ...at('e1', seq) });
			const first = consume(FILLS);
			await settled();
			confirm(41);
			await first.subscription.ready;
			sockets[0]!.close();
			faults['fill.list'] = new ExchangeError('unavailable', { what: 'Nothing answers' });
			const second = consume({ ...FILLS, retriesFirstConnection: true });
			await pass(2_000);
			const replay = () => sockets.at(-1)!.say(data('user.fills', 42, fill('f42')));
			if (when === 'before') replay();
			confirm(42);
			if (when === 'after') replay();
			sockets.at(-1)!.say(data('user.fills', 43, fill('f43')));
			await settled();
			expect([first, second].map(({ keys }) => keys())).toEqual([
				['fill:f42:order-1', 'fill:f43:order-1'],
				['fill:f43:order-1'],
			]);
		},
	);

	it('sends what a service replays that counts anew under its old epoch', async () => {
		const { sockets, consume, settled, pass } = openStage({ confirms: false });
		const seen = consume(FILLS);
		await settled();
		const confirm = (seq: number) =>
			sockets.at(-1)!.say({ type: 'subscribed', topics: FILLS.topics, ...at('e1', seq) });
		confirm(41);
		await seen.subscription.ready;
		await pass(40_000);
		sockets[0]!.close();
		await pass(9_000);
		confirm(2);
		sockets[1]!.say(data('user.fills', 2, fill('f2')));
		await settled();
		expect(seen.keys()).toEqual(['fill:f2:order-1']);
	});

	it('marks events as live that came as they happened, although the connection is gone before they are passed on', async () => {
		const { sockets, consume, settled, pass, client } = openStage({ confirms: false });
		const { page } = client;
		const seen = consume({ topics: ['trades.USD_NGN'] });
		await settled();
		const confirm = (seq: number, epoch = 'e1') =>
			sockets.at(-1)!.say({
				...{ type: 'subscribed', topics: ['trades.USD_NGN'] },
				positions: { 'trades.USD_NGN': { epoch, seq } },
			});
		confirm(2);
		await seen.subscription.ready;
		await pass(25_000);
		client.page = () => new Promise(() => undefined);
		sockets[0]!.close();
		await pass(2_000);
		confirm(2);
		await settled();
		sockets.at(-1)!.say(data('trades.USD_NGN', 3, trade(3)));
		sockets[1]!.close();
		await pass(9_000);
		client.page = page;
		confirm(0, 'e2');
		await pass(9_000);
		expect(seen.events.map(({ seq, delivery }) => [seq, delivery])).toEqual([[3, 'live']]);
	});

	it.each([
		['stands before those it was asked for', 'e1', 40, { 'user.fills': { epoch: 'e1', seq: 40 } }],
		['stands with those it was asked for', 'e1', 41, undefined],
		['stands behind those it was asked for', 'e1', 43, undefined],
		['stands in another run', 'e0', 40, undefined],
	])(
		'requests a replay from the oldest position, also of a subscriber that joins meanwhile and %s',
		async (_, epoch, seq, resume) => {
			const { sockets, consume, settled } = openStage({ confirms: false });
			const checkpoint = (place: object) => checkpointOf({ 'user.fills': { ...place, settled: 0 } });
			consume({ topics: ['user.orders'] });
			await settled();
			const subscribed = () => sockets[0]!.sent.filter(({ topics }) => String(topics) === 'user.fills');
			consume({ ...FILLS, checkpoint: checkpoint({ epoch: 'e1', seq: 41 }) });
			consume({ ...FILLS, checkpoint: checkpoint({ epoch, seq }) });
			await settled();
			expect(subscribed().map((sent) => sent.resume)).toEqual([
				{ 'user.fills': { epoch: 'e1', seq: 41 } },
				...(resume ? [resume] : []),
			]);
			sockets[0]!.say({ type: 'subscribed', topics: FILLS.topics, ...at('e1', 42) });
			consume({ ...FILLS, checkpoint: undefined });
			await settled();
			expect(subscribed()).toHaveLength(resume ? 2 : 1);
		},
	);

	it('marks events as live while a subscription is requested again', async () => {
		const { sockets, consume, settled } = openStage({ confirms: false });
		const ORDERS = { topics: ['user.orders'] };
		const seen = consume(ORDERS);
		await settled();
		const confirm = (seq: number) =>
			sockets[0]!.say({
				type: 'subscribed',
				topics: ORDERS.topics,
				positions: { 'user.orders': { epoch: 'e1', seq } },
			});
		const say = (seq: number) => sockets[0]!.say(data('user.orders', seq, order(`o${seq}`, 'accepted')));
		confirm(42);
		await seen.subscription.ready;
		const back = consume({
			...ORDERS,
			checkpoint: checkpointOf({ 'user.orders': { epoch: 'e1', seq: 41, settled: 0 } }),
		});
		await settled();
		expect(sockets[0]!.sent).toHaveLength(2);
		for (const seq of [42, 43]) say(seq);
		await settled();
		expect(seen.events.map(({ seq, delivery }) => [seq, delivery])).toEqual([[43, 'live']]);
		confirm(43);
		await back.subscription.ready;
		await settled();
		expect(back.events.map(({ seq, delivery }) => [seq, delivery])).toEqual([
			[42, 'replayed'],
			[43, 'live'],
		]);
	});
});
