/**
 * `npm run mutate`: breaks the code on purpose, one small change at a time, and asks whether a test notices.
 * `npm run mutate -- --mutate packages/core/src/orders/machine/machine.ts` asks about one file, `MUTANTS_PERCENT=5 npm run mutate`
 * about a sample of all, `MUTANTS_SEED=2` about another.
 */
const { MUTANTS_PERCENT = '100', MUTANTS_SEED = '' } = process.env;

export default {
	mutate: [
		'packages/core/src/{orders,client,input,wire,stream,watch}/**/*.ts',
		// Both hosts name the intents they ask for.
		'nodes/shared/action/{intent,tool-call}.ts',
		'packages/node-red/src/action/intents.ts',
	],
	testRunner: 'jest',
	jest: {
		projectType: 'custom',
		configFile: 'test/mutation/jest.config.js',
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	// Words and log texts may change without a test of their own; what they must hold is tested as a whole.
	mutator: { excludedMutations: ['StringLiteral'] },
	ignoreStatic: true,
	concurrency: 2,
	timeoutMS: 20_000,
	dryRunTimeoutMinutes: 30,
	incremental: true,
	// What lies outside a sample is remembered too, so each sample has a memory of its own.
	incrementalFile: `node_modules/.cache/mutations-${MUTANTS_PERCENT}-${MUTANTS_SEED}.json`,
	tempDirName: '.mutate',
	ignorePatterns: ['dist', '.sandbox', 'packages/*/dist'],
	reporters: ['clear-text', 'progress'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false, reportMutants: true },
	thresholds: { high: 95, low: 90, break: 90 },
	allowEmpty: false,
	checkers: ['sample'],
	// Stryker looks for plugins in the folder it is started in.
	plugins: ['@stryker-mutator/jest-runner', new URL('sample.mjs', import.meta.url).href],
	warnings: false,
};
