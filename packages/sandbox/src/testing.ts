/** The sandbox in tests with jest, vitest or node:test: started once, with a new exchange for every test. */
import type { OperationId } from '@partner-exchange/core/catalogue';
import type { ScenarioName } from './engine/scenarios';
import { findAccount, TRADER_EMAIL } from './engine/seed';
import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox';
import type { Fault, FaultKind, FaultRequest, FiredFault } from './server/faults';

/** The hooks of a test runner; in node:test, `beforeAll` and `afterAll` are named `before` and `after`. */
export interface TestHooks {
	beforeAll(hook: () => Promise<void>): unknown;
	afterEach(hook: () => void): unknown;
	afterAll(hook: () => Promise<void>): unknown;
}

export interface TestSandbox {
	readonly baseUrl: string;
	readonly wsUrl: string;
	/** The key of the account `email`, with all access. */
	readonly key: string;
	readonly email: string;
	/** Arms a fault for one operation, or for all. */
	arm(kind: FaultKind, operation?: OperationId, more?: Partial<FaultRequest>): Fault;
	/** The faults that were applied in this test. */
	fired(): FiredFault[];
	play(scenario: ScenarioName): void;
	/** Advances the clock, which does not move by itself. */
	advance(durationMs: number): Promise<void>;
	/** Waits until a condition holds; on a timeout, the error contains `what`. */
	waitFor(isTrue: () => unknown, what: string, timeoutMs?: number): Promise<void>;
	/** The underlying sandbox. */
	readonly sandbox: Sandbox;
}

const WAIT_MS = 10_000;
const LOOK_MS = 10;

/** The clock is virtual by default, so that a test advances time instead of waiting. */
export function useSandbox(hooks: TestHooks, options: SandboxOptions = {}): TestSandbox {
	let sandbox: Sandbox | undefined;
	let firedBefore = 0;
	hooks.beforeAll(async () => {
		sandbox = await startSandbox({ clock: 'virtual', ...options });
	});
	hooks.afterEach(() => {
		firedBefore = running().faults.fired.length;
		running().reset();
	});
	hooks.afterAll(async () => await sandbox?.close());
	function running(): Sandbox {
		if (!sandbox) throw new Error('The sandbox starts with the first test; use it inside a test.');
		return sandbox;
	}
	return {
		get baseUrl() {
			return running().baseUrl;
		},
		get wsUrl() {
			return running().wsUrl;
		},
		get sandbox() {
			return running();
		},
		key: 'sandbox-key',
		email: TRADER_EMAIL,
		arm: (kind, operation, more) => running().faults.arm({ kind, operation, ...more }),
		fired: () => running().faults.fired.slice(firedBefore),
		play: (name) => play(running(), name),
		advance: (durationMs) => running().advanceInSlices(durationMs),
		waitFor,
	};
}

function play({ exchange }: Sandbox, name: ScenarioName): void {
	const trader = findAccount(exchange.engine.state, TRADER_EMAIL);
	if (trader) exchange.apply({ kind: 'scenario', name, accountId: trader.id });
}

async function waitFor(isTrue: () => unknown, what: string, timeoutMs = WAIT_MS): Promise<void> {
	const until = performance.now() + timeoutMs;
	while (!(await isTrue())) {
		if (performance.now() > until) throw new Error(`After ${timeoutMs} ms there was still not ${what}.`);
		await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
	}
}
