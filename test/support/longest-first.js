/**
 * The order of test files. Simulations compute and hosts mostly wait, so they start alternately, and quick files come
 * last; within a project Jest's own order holds: failed files first, then the slowest, then the largest. A file named
 * `one-…` runs what several others hold, which its own size does not show, so it comes first.
 */
const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class LongestFirst extends Sequencer {
	async sort(tests) {
		const counts = new Map();
		const sorted = [...(await super.sort(tests))];
		const isOne = ({ path }) => basename(path).startsWith('one-');
		const placed = [...sorted.filter(isOne), ...sorted.filter((test) => !isOne(test))].map((test) => {
			const project = test.context.config.displayName?.name;
			const place = counts.get(project) ?? 0;
			counts.set(project, place + 1);
			return { test, place: project === 'unit' ? Infinity : place };
		});
		// Infinity minus Infinity is not a number.
		return placed
			.sort((one, other) => (one.place === other.place ? 0 : one.place - other.place))
			.map(({ test }) => test);
	}
};
