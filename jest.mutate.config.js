/** What `npm run mutate` asks of every broken line: the tests of the core and one run of each simulation, no host. */
const { projects, testTimeout } = require('./jest.config');

module.exports = {
	...projects[0],
	testEnvironment: '@stryker-mutator/jest-runner/jest-env/node',
	testMatch: ['<rootDir>/test/{core,client}/**/*.test.ts'],
	testTimeout,
};
