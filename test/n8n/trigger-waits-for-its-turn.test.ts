import type { Emission } from '../support/engine-trigger';
import { openTriggers, SHORTEST } from './triggers';

const { listen, outlast } = openTriggers();

/** As in an n8n whose executions wait for each other, and where none of our nodes has run yet. */
describe('a stream trigger whose first execution waits long for its turn', () => {
	it('hands no event over again as long as it does not know whether n8n has a queue', async () => {
		const [waiting, empty]: Emission[][] = [[], []];
		await listen({ form: SHORTEST, onEmit: (each) => (each.items.length === 0 ? empty : waiting)!.push(each) });
		await outlast(waiting!);
		expect(waiting).toHaveLength(1);
		expect(new Set([...waiting!, ...empty!].map(({ deduplicationKey }) => deduplicationKey)).size).toBeGreaterThan(1);
		for (const each of [...waiting!, ...empty!]) each.finish();
	});
});
