import { fill, openStage } from './stage';

const SECOND_MS = 1_000;

describe('a topic that the service removes by itself', () => {
	it.each([['user.fills'], ['trades.*']])(
		'subscribes %s again after the service removed it, and reads what was missed or names a gap',
		async (topic) => {
			const { sockets, lists, consume, pass, time } = openStage();
			const seen = consume({ topics: [topic, 'user.orders'] });
			await seen.subscription.ready;
			await pass(30 * SECOND_MS);
			sockets[0]!.sent.splice(0);
			sockets[0]!.say({ type: 'unsubscribed', topics: [topic, 'somebody.else'] });
			await pass(SECOND_MS / 2);
			lists['fill.list'] = [{ ...fill('missed'), created_at: new Date(time.now()).toISOString() }];
			await pass(3 * SECOND_MS);
			expect(sockets[0]!.sent.filter(({ type }) => type === 'subscribe')).toMatchObject([{ topics: [topic] }]);
			expect(seen.events).toMatchObject([
				topic === 'user.fills' ? { eventKey: 'fill:missed:order-1' } : { kind: 'gap' },
			]);
		},
	);

	it('the late confirmation of a removal does not request a topic once more that was subscribed again', async () => {
		const { sockets, consume, pass } = openStage();
		const orders = consume({ topics: ['user.orders'] });
		const first = consume({ topics: ['user.fills'] });
		await Promise.all([orders.subscription.ready, first.subscription.ready]);
		await first.subscription.close();
		const again = consume({ topics: ['user.fills'] });
		sockets[0]!.say({ type: 'unsubscribed', topics: ['user.fills'] });
		await again.subscription.ready;
		await pass(5 * SECOND_MS);
		expect(sockets[0]!.sent.filter(({ type }) => type === 'subscribe')).toMatchObject([{}, { topics: ['user.fills'] }]);
	});
});
