import { createListMemories } from '../../../packages/core/src/orders/lookup/list-memory';
import { INDEX_ROWS_MAX } from '../../../packages/core/src/orders/lookup/name-index';

describe('what a process remembers of order lists', () => {
	it('forgets the list that was not looked at for longest when all together are too long', () => {
		const memoryOf = createListMemories();
		const [first, second] = [memoryOf('first'), memoryOf('second')];
		[first.index.rows, second.index.rows] = [INDEX_ROWS_MAX - 1, 1];
		expect([memoryOf('second'), memoryOf('first')]).toEqual([second, first]);
		const third = memoryOf('third');
		third.index.rows = 1;
		expect(memoryOf('first')).toBe(first);
		expect(memoryOf('third')).toBe(third);
		expect(memoryOf('second').index.rows).toBe(0);
	});
});
