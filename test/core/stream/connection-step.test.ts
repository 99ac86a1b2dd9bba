import { openConnection } from './connection-stage';

const subscribed = (...topics: string[]) => ({ type: 'subscribed' as const, topics, positions: {}, snapshots: {} });

describe('the state of a connection', () => {
	it('the state of a connection can be printed, and copied as it is', () => {
		const { state, happened } = openConnection();
		happened({ type: 'begun' });
		happened({ type: 'attached', topic: 'user.fills', isBook: false });
		happened({ type: 'opened' });
		happened(subscribed('user.fills'));
		expect(structuredClone(state)).toEqual(state);
		expect(state).toMatchObject({ phase: 'live', attempts: 0, hasConfirmed: true });
		expect([...state.topics]).toEqual([['user.fills', expect.objectContaining({ is: 'confirmed' })]]);
	});

	it('the state of a connection does not change any more once it was given up', async () => {
		const { state, effects, happened, pass, chance } = openConnection();
		happened({ type: 'begun' });
		happened({ type: 'given_up' });
		const before = structuredClone(state);
		effects.splice(0);
		happened({ type: 'opened' });
		happened({ type: 'closed', chance });
		happened({ type: 'attached', topic: 'user.fills', isBook: false });
		await pass(600);
		expect([state, effects]).toEqual([before, []]);
	});

	it('subscribes all topics when the socket opens, and those that join then at once', () => {
		const { effects, happened } = openConnection();
		happened({ type: 'begun' });
		for (const topic of ['user.fills', 'user.orders']) happened({ type: 'attached', topic, isBook: false });
		expect(effects.map((effect) => effect.do)).toEqual(['open']);
		happened({ type: 'opened' });
		happened({ type: 'attached', topic: 'orderbook.USD_NGN', isBook: true });
		const requests = effects.flatMap((effect) => (effect.do === 'subscribe' ? [effect] : []));
		expect(requests).toMatchObject([
			{ topics: ['user.fills', 'user.orders'], resumes: true, snapshot: false },
			{ topics: ['orderbook.USD_NGN'], resumes: false, snapshot: true },
		]);
	});

	it.each([
		['asks for nothing after one that asked and ended', 59, [true, false, true]],
		['asks again after one that asked and held', 60, [true, true, true]],
	])('a connection %s', (_, seconds, asked) => {
		const { effects, state, happened, time, chance } = openConnection();
		happened({ type: 'begun' });
		happened({ type: 'attached', topic: 'user.fills', isBook: false });
		happened({ type: 'attached', topic: 'orderbook.USD_NGN', isBook: true });
		for (let made = 0; made < 3; made += 1) {
			happened({ type: 'opened' });
			state.reconnects.openedAt = time.now() - seconds * 1_000;
			happened({ type: 'closed', chance });
			state.socketAt = 0;
			happened({ type: 'woken', chance });
		}
		const requests = effects.flatMap((effect) => (effect.do === 'subscribe' ? [effect] : []));
		expect(requests.filter(({ topics }) => topics[0] === 'user.fills').map(({ resumes }) => resumes)).toEqual(asked);
		expect(requests.filter(({ topics }) => topics[0] !== 'user.fills').map(({ snapshot }) => snapshot)).toEqual(asked);
	});
});
