/** The tests that need a complete n8n, which is installed on first use; `npm test` leaves them out. */
module.exports = {
	...require('./jest.config'),
	roots: ['<rootDir>/test/hosts/n8n'],
	testPathIgnorePatterns: ['/node_modules/'],
	maxWorkers: 1,
	testTimeout: 120_000,
};
