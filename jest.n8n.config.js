/** The tests that need a complete n8n, which is installed before the first of them; `npm test` leaves them out. */
const { projects, testTimeout } = require('./jest.config');

module.exports = {
	...projects[0],
	displayName: 'n8n',
	testMatch: ['<rootDir>/test/hosts/n8n/**/*.test.ts'],
	globalSetup: '<rootDir>/test/support/n8n-setup.ts',
	testTimeout,
	maxWorkers: 1,
};
