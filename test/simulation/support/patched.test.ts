import { patched } from './patched';

const patch = { file: 'stream/queue.ts', find: 'limit', replace: 'none' };

describe('a defect planted as a change of the source', () => {
	it('a planted defect changes the one place it names', () => {
		expect(patched('plant', patch, 'a limit here')).toBe('a none here');
	});

	it.each([
		['is gone', 'nothing', 'The text of plant no longer stands in stream/queue.ts: "limit"'],
		['stands twice', 'limit and limit', 'The text of plant stands 2 times in stream/queue.ts: "limit"'],
	])('names a planted defect whose text %s', (_, source, said) => {
		expect(() => patched('plant', patch, source)).toThrow(said);
	});
});
