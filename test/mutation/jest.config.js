/** What `npm run mutate` asks of every broken line: the tests of the core and one run of each simulation, no host. */
// A mutant that some world notices is noticed by the first few.
process.env.SIMULATION_SEEDS ??= '40';

const { projects, testTimeout } = require('../../jest.config');

const tests = [
	'test/{core,client}/**/*.test.ts',
	'test/simulation/{orders,stream}/seeds.test.ts',
	'test/{n8n,node-red}/shared/identity.test.ts',
];

module.exports = {
	...projects[0],
	rootDir: `${__dirname}/../..`,
	testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
	testMatch: tests.map((glob) => `<rootDir>/${glob}`),
	runner: '<rootDir>/test/mutation/runner.js',
	testTimeout,
};
