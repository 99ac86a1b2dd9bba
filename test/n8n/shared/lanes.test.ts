import { mapConcurrently, aheadOf } from '../../../nodes/shared/action/concurrency';

/** Tasks that finish when the test finishes them. */
function pending() {
	const open: { index: number; end: () => void; fail: (error: Error) => void }[] = [];
	const work = (index: number) =>
		new Promise<number>((resolve, reject) => open.push({ index, end: () => resolve(index * 10), fail: reject }));
	const turn = () => new Promise(setImmediate);
	/** Finishes the oldest task. */
	const end = async () => {
		open.shift()?.end();
		await turn();
	};
	return { open, work, turn, end };
}

describe('items worked on at the same time', () => {
	it('keeps the first number of parallel items while the service is hindered, and grows again after it', async () => {
		const { open, work, end } = pending();
		let isHindered = false;
		const all = mapConcurrently(1_000, { first: 3, most: 8, mayGrow: () => !isHindered }, work);
		while (open.length < 8) await end();
		isHindered = true;
		for (let more = 8; more > 3; more -= 1) {
			expect(open).toHaveLength(more);
			await end();
		}
		for (let done = 0; done < 30; done += 1) {
			expect(open).toHaveLength(3);
			await end();
		}
		isHindered = false;
		for (let done = 0; done < 20; done += 1) {
			expect(open).toHaveLength(Math.min(8, 3 + done));
			await end();
		}
		while (open.length > 0) await end();
		expect(await all).toHaveLength(1_000);
	});

	it('begins no item after the first failure, and awaits those in progress', async () => {
		const { open, work, turn, end } = pending();
		const all = mapConcurrently(100, { first: 4, most: 4, mayGrow: () => true }, work);
		let isOver = false;
		const failed = expect(all.finally(() => (isOver = true))).rejects.toThrow('of 1');
		open.splice(2, 1)[0]!.fail(new Error('of 2'));
		await turn();
		open.splice(1, 1)[0]!.fail(new Error('of 1'));
		await turn();
		expect([open.map(({ index }) => index), isOver]).toEqual([[0, 3], false]);
		await end();
		expect([open.length, isOver]).toEqual([1, false]);
		await end();
		await failed;
	});
});

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
