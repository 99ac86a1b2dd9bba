/**
 * Runs tests in the process that holds the mutated code, which is loaded once: a mutant costs no more than the tests
 * that reach it, cheapest first, up to the first that fails. Jest would load everything again for each mutant, which
 * takes a second. Only for tests that leave nothing behind and use nothing of Jest but its globals, such as those of
 * the core.
 */
const { globSync, readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join, resolve } = require('node:path');
const { transformSync } = require('@swc/core');
const { expect } = require('expect');
const { bind } = require('jest-each');
const { ModuleMocker } = require('jest-mock');

const [SUCCESS, FAILED, SKIPPED] = [0, 1, 2];
const TIMES = 'mutation-tests.json';
/** The work budget of one mutant, so that one that survives does not delay all others. */
const ASKED_MS_MAX = 1_500;

/** The state that instrumented code reads: the active mutant, and the running test. */
const instrumented = (globalThis.__stryker__ ??= {});

class InProcess {
	capabilities() {
		return { reloadEnvironment: false };
	}

	async init() {
		loadTypeScript();
		// A mutant may leave a promise that rejects unhandled. The test that waits for it is the one to fail.
		process.on('unhandledRejection', () => undefined);
		process.on('uncaughtException', (error) => interrupt(error));
		this.tests = globSync(process.env.MUTANTS_TESTS.split(' ')).flatMap(collect);
		this.idle = resources();
	}

	/** The run without a mutant: which test covers which mutants, and how much work each test takes. */
	async dryRun() {
		const tests = [];
		const work = {};
		for (const test of this.tests) {
			instrumented.currentTestId = test.id;
			const [began, before] = [performance.now(), process.cpuUsage()];
			const failure = test.isSkipped ? undefined : await failureOf(test, this.idle);
			const { user, system } = process.cpuUsage(before);
			work[test.id] = (user + system) / 1_000;
			const told = { id: test.id, name: test.id, fileName: test.file, timeSpentMs: performance.now() - began };
			if (failure !== undefined) tests.push({ ...told, status: FAILED, failureMessage: failure });
			else tests.push({ ...told, status: test.isSkipped ? SKIPPED : SUCCESS });
		}
		instrumented.currentTestId = undefined;
		writeFileSync(TIMES, JSON.stringify(work));
		return { status: 'complete', tests, mutantCoverage: instrumented.mutantCoverage };
	}

	async mutantRun({ activeMutant, testFilter, hitLimit, disableBail }) {
		const reaching = this.tests.filter(({ id, isSkipped }) => !isSkipped && (testFilter?.includes(id) ?? true));
		const asked = quickest(reaching, (this.work ??= JSON.parse(readFileSync(TIMES, 'utf8'))));
		Object.assign(instrumented, { activeMutant: activeMutant.id, hitLimit, hitCount: hitLimit ? 0 : undefined });
		let failureMessage;
		const killedBy = [];
		for (const test of asked) {
			const failure = await failureOf(test, this.idle);
			if (failure === undefined) continue;
			failureMessage ??= failure;
			killedBy.push(test.id);
			if (!disableBail) break;
		}
		instrumented.activeMutant = undefined;
		if (instrumented.hitCount > hitLimit) return { status: 'timeout', reason: 'It goes round in circles' };
		if (killedBy.length === 0) return { status: 'survived', nrOfTests: asked.length };
		return { status: 'killed', killedBy, failureMessage, nrOfTests: asked.length };
	}

	/** Set-up shared by all tests of a file serves all mutants. */
	async dispose() {
		for (const last of atEnd) await last();
	}
}

/** Cheapest first, as many as the budget of a mutant allows; at least one test. */
function quickest(tests, work) {
	let sum = 0;
	const sorted = tests.sort((a, b) => work[a.id] - work[b.id]);
	return sorted.filter(({ id }, index) => (sum += work[id]) <= ASKED_MS_MAX || index === 0);
}

const atEnd = [];

/** Loads files the way Jest does, under the names Jest uses. */
function loadTypeScript() {
	const { transform, moduleNameMapper } = require(resolve('jest.config.js')).projects[0];
	const [, { jsc }] = Object.values(transform)[0];
	Module._extensions['.ts'] = (module, filename) => {
		const options = { filename, jsc, module: { type: 'commonjs' }, swcrc: false, configFile: false };
		module._compile(transformSync(readFileSync(filename, 'utf8'), options).code, filename);
	};
	const find = Module._resolveFilename;
	const names = Object.entries(moduleNameMapper).map(([pattern, path]) => [new RegExp(pattern), path]);
	Module._resolveFilename = (request, ...rest) => {
		const [pattern, path] = names.find(([known]) => known.test(request)) ?? [];
		if (!pattern) return find(request, ...rest);
		return find(request.replace(pattern, path.replace('<rootDir>', process.cwd())), ...rest);
	};
}

/** The tests of a file, each with the hooks that run before and after it. */
function collect(file) {
	const tests = [];
	let suite = { names: [], before: [], after: [], isSkipped: false };

	function describe(name, body) {
		const outer = suite;
		suite = { ...outer, names: [...outer.names, name], before: [...outer.before], after: [...outer.after] };
		body();
		suite = outer;
	}
	function it(name, run) {
		const { names, before, after } = suite;
		tests.push({ id: [file, ...names, name].join(' '), file: resolve(file), run, before, after });
	}
	it.skip = (name) => tests.push({ id: [file, ...suite.names, name].join(' '), file, isSkipped: true });
	it.each = bind(it);
	describe.each = bind(describe, false);
	const mocker = new ModuleMocker(globalThis);
	const jest = { fn: mocker.fn.bind(mocker), spyOn: mocker.spyOn.bind(mocker), setTimeout: () => undefined };
	Object.assign(globalThis, { describe, it, test: it, expect, jest });
	globalThis.beforeEach = (run) => void suite.before.push(run);
	globalThis.beforeAll = (run) => {
		let begun;
		suite.before.push(() => (begun ??= Promise.resolve(run())));
	};
	globalThis.afterAll = (run) => void atEnd.push(run);
	globalThis.afterEach = (run) => void suite.after.unshift(run);
	require(join(process.cwd(), file));
	for (const test of tests) test.after = [...(test.after ?? []), () => mocker.restoreAllMocks()];
	return tests;
}

/** Ends the running test when something throws outside it. */
let interrupt = () => undefined;

/** The error a test fails with, if any; also when no pending work could ever end it. */
async function failureOf({ run, before, after }, idle) {
	const running = (async () => {
		for (const one of before) await one();
		await run();
	})();
	let watch;
	const interrupted = new Promise((_, reject) => {
		interrupt = reject;
		let looks = 0;
		watch = setInterval(() => {
			looks = resources() <= idle + 1 ? looks + 1 : 0;
			if (looks > 2) reject(new Error('Nothing is left that could end the test'));
		}, 50);
	});
	try {
		await Promise.race([running, interrupted]);
		return undefined;
	} catch (error) {
		return String(error?.message ?? error) || 'It failed';
	} finally {
		clearInterval(watch);
		for (const one of after) await one();
	}
}

/** Timers, sockets and any other pending work. */
const resources = () => process.getActiveResourcesInfo().length;

exports.strykerPlugins = [{ kind: 'TestRunner', name: 'in-process', injectableClass: InProcess }];
