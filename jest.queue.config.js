/** The tests of n8n in queue mode: they need a complete n8n, and Redis and PostgreSQL of the system. */
module.exports = {
	...require('./jest.n8n.config'),
	displayName: 'queue',
	testMatch: ['<rootDir>/test/hosts/queue/**/*.test.ts'],
};
