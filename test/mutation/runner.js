/**
 * Runs for each mutant only the files with tests that cover it, quickest first, up to the first failure. Jest would
 * load all files for each mutant, and Stryker's own adapter does not stop early.
 */
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { default: TestRunner } = require('jest-runner');

const mutant = () => process.env.__STRYKER_ACTIVE_MUTANT__;

module.exports = class MutantRunner extends TestRunner {
	constructor(globalConfig, context) {
		super(globalConfig, context);
		this.named = new RegExp(globalConfig.testNamePattern || '', 'i');
		this.known = join(globalConfig.rootDir, 'mutation-tests.json');
	}

	async runTests(tests, watcher, options) {
		return mutant() ? this.ask(tests, watcher, options) : this.learn(tests, watcher, options);
	}

	/** The run without a mutant: the tests of each file, and how long each file takes. */
	async learn(tests, watcher, options) {
		const files = {};
		const stop = this.on('test-file-success', ([{ path }, { testResults, perfStats }]) => {
			files[path] = { names: testResults.map(({ fullName }) => fullName), ms: perfStats.runtime };
		});
		await super.runTests(tests, watcher, options);
		stop();
		writeFileSync(this.known, JSON.stringify(files));
	}

	async ask(tests, watcher, options) {
		const files = JSON.parse(readFileSync(this.known, 'utf8'));
		const asked = tests
			.filter(({ path }) => files[path]?.names.some((name) => this.named.test(name)))
			.sort((a, b) => files[a.path].ms - files[b.path].ms);
		let noticed = false;
		const stops = [
			this.on('test-file-success', ([, result]) => (noticed ||= result.numFailingTests > 0)),
			this.on('test-file-failure', () => (noticed = true)),
		];
		for (const test of asked) if (!noticed) await super.runTests([test], watcher, options);
		stops.forEach((stop) => stop());
	}
};
