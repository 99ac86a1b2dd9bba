/**
 * The tests that `npm test` leaves out, because they take long: `commands` builds, packs, starts and measures; `n8n` needs
 * a complete n8n, which is installed before the first of them; `queue` needs services of the system: n8n in queue mode on
 * Redis and PostgreSQL, readers and consumers on brokers; `dashboard` needs FlowFuse's dashboard, which is installed on
 * first use.
 */
const { projects, testTimeout } = require('../../jest.config');
const commands = require('./commands');

const rootDir = `${__dirname}/../..`;
const [unit] = projects;
const globalSetup = '<rootDir>/test/support/n8n-setup.ts';

module.exports = {
	rootDir,
	projects: [
		{
			...unit,
			...{ rootDir, globalSetup: '<rootDir>/test/support/built.ts' },
			displayName: 'commands',
			testMatch: commands,
		},
		{ ...unit, rootDir, globalSetup, displayName: 'n8n', testMatch: ['<rootDir>/test/hosts/n8n/**/*.test.ts'] },
		{
			...unit,
			...{ rootDir, globalSetup },
			displayName: 'queue',
			testMatch: ['<rootDir>/test/hosts/{queue,brokers}/**/*.test.ts'],
		},
		{
			...unit,
			...{ rootDir, globalSetup: '<rootDir>/test/support/built.ts' },
			displayName: 'dashboard',
			testMatch: ['<rootDir>/test/hosts/dashboard/*.test.ts'],
		},
	],
	testTimeout,
	testSequencer: '<rootDir>/test/support/longest-first.js',
	// These wait most of the time, for n8n to start and for time to pass, so three keep two cores busy.
	maxWorkers: 3,
};
