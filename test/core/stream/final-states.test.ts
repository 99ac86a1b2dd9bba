import { data, openStage, order } from './stage';

const TOPICS = { topics: ['user.orders'] };
const at = (time: string) => ({ updated_at: `2026-01-05T09:00:${time}Z` });

async function following() {
	const stage = openStage();
	const seen = stage.consume(TOPICS);
	await seen.subscription.ready;
	const statuses = () => seen.events.map(({ data: row }) => (row as { status: string }).status);
	return { ...stage, seen, statuses };
}

describe('stamps of a service whose machines are not of one time', () => {
	it('delivers the end of an order that is stamped before the state before it', async () => {
		const { sockets, settled, statuses } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', 'accepted', '0', at('01.050'))));
		sockets[0]!.say(data('user.orders', 2, order('a', 'filled', '30', at('01.000'))));
		await settled();
		expect(statuses()).toEqual(['accepted', 'filled']);
	});

	it('delivers more of a fill that is stamped before less of it', async () => {
		const { sockets, settled, statuses, seen } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', 'partially_filled', '10', at('01.050'))));
		sockets[0]!.say(data('user.orders', 2, order('a', 'partially_filled', '20', at('01.000'))));
		await settled();
		expect([statuses().length, seen.events.at(-1)!.data]).toMatchObject([2, { filled_quantity: '20' }]);
	});

	it('delivers the end that the list shows in whole seconds', async () => {
		const { sockets, lists, pass, statuses } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', 'accepted', '0', at('01.900'))));
		lists['order.list'] = [order('a', 'cancelled', '0', at('01'))];
		await pass(60_000);
		expect(statuses()).toEqual(['accepted', 'cancelled']);
	});

	it('delivers no earlier state again after a correction', async () => {
		const { sockets, settled, seen } = await following();
		const say = (seq: number, filled: string, time: string) =>
			sockets[0]!.say(data('user.orders', seq, order('a', 'partially_filled', filled, at(time))));
		say(1, '20', '01.000');
		say(2, '10', '02.000');
		say(3, '15', '01.500');
		await settled();
		expect(seen.events.map(({ data: row }) => (row as { filled_quantity: string }).filled_quantity)).toEqual([
			'20',
			'10',
		]);
	});
});

describe('a status that stream and list spell differently', () => {
	it('is told once, as it came first', async () => {
		const { sockets, lists, pass, statuses } = await following();
		sockets[0]!.say(data('user.orders', 1, order('a', 'Partially Filled', '10')));
		sockets[0]!.say(data('user.orders', 2, order('b', 'CANCELED', '0')));
		lists['order.list'] = [order('a', 'partially_filled', '10'), order('b', 'cancelled', '0')];
		await pass(60_000);
		expect(statuses()).toEqual(['Partially Filled', 'CANCELED']);
	});
});
