import { mapConcurrently } from '../../../nodes/shared/action/concurrency';

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
	it('adds a parallel item with each one that is done, up to the limit', async () => {
		const { open, work, end } = pending();
		const all = mapConcurrently(200, { first: 3, most: 8, mayGrow: () => true }, work);
		for (let done = 0; done < 100; done += 1) {
			expect(open).toHaveLength(Math.min(8, 3 + done));
			await end();
		}
		while (open.length > 0) await end();
		expect(await all).toEqual(Array.from({ length: 200 }, (_, index) => index * 10));
	});

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

	it('starts nothing where there are no items', async () => {
		const never = () => Promise.reject(new Error('nothing to do'));
		expect(await mapConcurrently(0, { first: 5, most: 5, mayGrow: () => true }, never)).toEqual([]);
	});
});
