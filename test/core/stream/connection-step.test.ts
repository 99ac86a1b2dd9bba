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
			{ topics: ['user.fills', 'user.orders'], resumes: ['user.fills', 'user.orders'], snapshot: false },
			{ topics: ['orderbook.USD_NGN'], snapshot: true },
		]);
	});

	it('skips the resume of the connection after a message that was too large, and only of that one', async () => {
		const { effects, happened, pass, chance } = openConnection();
		happened({ type: 'begun' });
		happened({ type: 'attached', topic: 'user.fills', isBook: false });
		for (const code of [1009, 1006, 1006]) {
			happened({ type: 'opened' });
			happened({ type: 'closed', code, chance });
			await pass(9);
		}
		const resumes = effects.flatMap((effect) => (effect.do === 'subscribe' ? [effect.resumes.length] : []));
		expect(resumes).toEqual([1, 0, 1]);
	});
});
