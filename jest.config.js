/**
 * Three projects: `unit` needs no build, `hosts` runs what was built inside real hosts, `simulation` plays made-up worlds.
 * test/hosts/jest.config.js has others, which take longer.
 */
const shared = {
	testEnvironment: 'node',
	transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2023', parser: { syntax: 'typescript' } } }] },
	moduleNameMapper: {
		'^@partner-exchange/core$': '<rootDir>/packages/core/src/index.ts',
		'^@partner-exchange/core/catalogue$': '<rootDir>/packages/core/src/catalogue/index.ts',
		'^@partner-exchange/core/(adapters|node|testing)$': '<rootDir>/packages/core/src/$1.ts',
		'^@partner-exchange/sandbox$': '<rootDir>/test/support/sandbox.ts',
	},
	// Jest's sandbox looks up each global name anew, which takes simulations a third longer; these it hands over.
	sandboxInjectedGlobals:
		'Array BigInt Boolean Date Error JSON Map Math Number Object Promise RegExp Set String Symbol WeakMap'.split(' '),
	setupFilesAfterEnv: ['<rootDir>/test/support/exact-lists.js'],
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/packages/.*/dist', '<rootDir>/.mutate'],
};
// Waits have limits of their own, which name what did not come; this one ends what hangs on the slowest machine.
const testTimeout = 600_000;

/** What `npm test` leaves out because it takes long; all of it runs in CI. */
const later = [...require('./test/hosts/commands'), '<rootDir>/test/simulation/*/plants.test.ts'];

/** What starts a host or a browser. */
const hosts = [
	'<rootDir>/test/{hosts,node-red}/*.test.ts',
	'<rootDir>/test/hosts/node-red/*.test.ts',
	'<rootDir>/test/n8n/*.test.ts',
	'<rootDir>/test/conformance/node-red.test.ts',
	'<rootDir>/test/sandbox/{cli,one-console}.test.ts',
	'<rootDir>/test/examples/*.test.ts',
];
const simulation = ['<rootDir>/test/simulation/**/*.test.ts', '<rootDir>/test/sandbox/properties.test.ts'];

/** Jest takes every word behind --selectProjects for a project, paths too, and then runs far too much. */
const words = process.argv.slice(process.argv.indexOf('--selectProjects') + 1 || Infinity);
const chosen = words.slice(0, words.findIndex((word) => word.startsWith('-')) >>> 0);
const path = chosen.find((word) => word.includes('/') || word.endsWith('.ts'));
if (path)
	throw new Error(`${path} is no project. Write -- before paths: jest --selectProjects ${chosen[0]} -- ${path}`);

const not = (globs) => globs.map((glob) => glob.replace('<rootDir>', '!**'));

module.exports = {
	projects: [
		{
			...shared,
			displayName: 'unit',
			testMatch: ['<rootDir>/test/**/*.test.ts', '!**/test/hosts/**', ...not(hosts), ...not(simulation), ...not(later)],
		},
		{
			...shared,
			displayName: 'hosts',
			testMatch: [...hosts, ...not(later)],
			globalSetup: '<rootDir>/test/support/built.ts',
		},
		{ ...shared, displayName: 'simulation', testMatch: [...simulation, ...not(later)] },
	],
	testTimeout,
	testSequencer: '<rootDir>/test/support/longest-first.js',
	// The four longest files wait for Node-RED and a browser, so two more keep two cores busy.
	maxWorkers: 6,
};
