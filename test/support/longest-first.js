/**
 * The order of test files. Made-up worlds compute for long and hosts mostly wait, so one of each begins in turn, and what
 * is quick fills up the end; within a project Jest's own order holds: what failed, what took long the last time, what is
 * large.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

module.exports = class LongestFirst extends Sequencer {
	async sort(tests) {
		const counts = new Map();
		const placed = [...(await super.sort(tests))].map((test) => {
			const project = test.context.config.displayName?.name;
			const place = counts.get(project) ?? 0;
			counts.set(project, place + 1);
			return { test, place: project === 'unit' ? Infinity : place };
		});
		// Two infinities have no difference.
		return placed
			.sort((one, other) => (one.place === other.place ? 0 : one.place - other.place))
			.map(({ test }) => test);
	}
};
