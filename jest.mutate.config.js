/** What `npm run mutate` asks of every broken line: the tests of the core and one run of each simulation, no host. */
// A mutant that some world notices is noticed by the first few.
process.env.SIMULATION_SEEDS ??= '40';

const { projects, testTimeout } = require('./jest.config');

module.exports = {
	...projects[0],
	testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
	testMatch: [
		'<rootDir>/test/{core,client}/**/*.test.ts',
		'<rootDir>/test/simulation/{orders/seeds,stream/layers,stream/shipped}.test.ts',
		'<rootDir>/test/n8n/{shared/identity,retries,tool-calls}.test.ts',
	],
	runner: '<rootDir>/test/mutation/runner.js',
	testTimeout,
};
