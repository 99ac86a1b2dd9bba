import { aheadOf } from '../../../nodes/shared/action/concurrency';

describe('values worked out ahead', () => {
	it('prepares values ahead up to a limit, each once, and never beyond the last', async () => {
		const read: number[] = [];
		const valueOf = aheadOf(3, 5, (index) => {
			read.push(index);
			return index * 10;
		});
		const values: number[] = [];
		for (let index = 0; index < 5; index += 1) {
			values.push(await valueOf(index));
			expect(read.length).toBe(index < 3 ? 3 : 5);
		}
		expect(values).toEqual([0, 10, 20, 30, 40]);
		expect(read).toEqual([0, 1, 2, 3, 4]);
	});

	it('fails only the caller whose prepared value failed', async () => {
		const valueOf = aheadOf(4, 4, (index) => {
			if (index % 2 === 1) throw new Error(`of ${index}`);
			return index;
		});
		expect(await valueOf(0)).toBe(0);
		await expect(valueOf(1)).rejects.toThrow('of 1');
		expect(await valueOf(2)).toBe(2);
		await new Promise(setImmediate);
		await expect(valueOf(3)).rejects.toThrow('of 3');
	});
});
