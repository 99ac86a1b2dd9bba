/** The tests on services of the system: n8n in queue mode on Redis and PostgreSQL, readers and consumers on brokers. */
module.exports = {
	...require('./jest.n8n.config'),
	displayName: 'queue',
	testMatch: ['<rootDir>/test/hosts/{queue,brokers}/**/*.test.ts'],
};
