/** What tests use and close. The name leads to what was opened last, so it can be written down before it is there. */
interface Closable {
	close?: () => unknown;
}

/** Opened before the first test of a file or describe, and closed after its last one. */
export const forAll = <T extends object>(open: () => T | Promise<T>): T => opened(open, beforeAll, afterAll);

/** Opened before each test and closed after it. */
export const forEach = <T extends object>(open: () => T | Promise<T>): T => opened(open, beforeEach, afterEach);

type Hook = (hook: () => Promise<void>) => void;

function opened<T extends Closable>(open: () => T | Promise<T>, before: Hook, after: Hook): T {
	let running: T | undefined;
	before(async () => void (running = await open()));
	after(async () => void (await running?.close?.()));
	return new Proxy({} as T, {
		get: (_, name) => Reflect.get(running!, name) as unknown,
		set: (_, name, value) => Reflect.set(running!, name, value),
	});
}
