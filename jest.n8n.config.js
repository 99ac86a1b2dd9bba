/** The tests that need a complete n8n, which is installed before the first of them; `npm test` leaves them out. */
module.exports = {
	...require('./jest.config'),
	roots: ['<rootDir>/test/hosts/n8n'],
	testPathIgnorePatterns: ['/node_modules/'],
	globalSetup: '<rootDir>/test/support/n8n-setup.ts',
	maxWorkers: 1,
};
