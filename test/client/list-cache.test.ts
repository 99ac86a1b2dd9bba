import { cachedLists } from '../../packages/core/src/client/list-cache';

describe('the lists that a client reuses', () => {
	it('reads a list that seldom changes once a minute, and again at once after a reading that failed', async () => {
		let [now, reads] = [0, 0];
		const clock = { now: () => now, elapsed: () => now, after: () => () => undefined };
		const lists = cachedLists(clock, () => {
			reads += 1;
			return reads === 1 ? Promise.reject(new Error('away')) : Promise.resolve(reads);
		});
		await expect(lists('market.list')).rejects.toThrow('away');
		expect(await Promise.all([lists('market.list'), lists('market.list')])).toEqual([2, 2]);
		now += 59_999;
		expect(await lists('market.list')).toBe(2);
		now += 1;
		expect(await lists('market.list')).toBe(3);
	});
});
