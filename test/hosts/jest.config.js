/**
 * All tests: those of `npm test`, and those that it leaves out because they take long. `commands` builds, packs, starts
 * and measures. `plants` asks of each simulation whether it notices the defects planted in its source. `n8n` needs a complete n8n, which is installed before the first of them. `queue` needs services of the
 * system: n8n in queue mode on Redis and PostgreSQL, readers and consumers on brokers. `dashboard` needs FlowFuse's
 * dashboard, which is installed on first use.
 */
const usual = require('../../jest.config');
const commands = require('./commands');

const rootDir = `${__dirname}/../..`;
const projects = usual.projects.map((project) => ({ ...project, rootDir }));
const [unit] = projects;
const built = '<rootDir>/test/support/built.ts';
const globalSetup = '<rootDir>/test/support/n8n-setup.ts';

module.exports = {
	rootDir,
	projects: [
		...projects,
		{ ...unit, globalSetup: built, displayName: 'commands', testMatch: commands },
		{ ...unit, displayName: 'plants', testMatch: ['<rootDir>/test/simulation/*/plants.test.ts'] },
		{ ...unit, globalSetup, displayName: 'n8n', testMatch: ['<rootDir>/test/hosts/n8n/**/*.test.ts'] },
		{ ...unit, globalSetup, displayName: 'queue', testMatch: ['<rootDir>/test/hosts/{queue,brokers}/**/*.test.ts'] },
		{ ...unit, globalSetup: built, displayName: 'dashboard', testMatch: ['<rootDir>/test/hosts/dashboard/*.test.ts'] },
	],
	testTimeout: usual.testTimeout,
	testSequencer: '<rootDir>/test/support/longest-first.js',
	// Hosts wait for a part of their time, so four keep two cores busy. With more, n8n itself is late with what it promises.
	maxWorkers: 4,
};
