/**
 * The order of test files. Made-up worlds take longest and hosts wait most, so they begin first and what is quick fills up
 * the end; within a project Jest's own order holds: what failed, what took long the last time, what is large.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const PROJECTS = ['simulation', 'hosts', 'unit'];
const rank = ({ context }) => PROJECTS.indexOf(context.config.displayName?.name);

module.exports = class LongestFirst extends Sequencer {
	async sort(tests) {
		return [...(await super.sort(tests))].sort((one, other) => rank(one) - rank(other));
	}
};
