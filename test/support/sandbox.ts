import { startSandbox as start, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/index';

/** The sandbox for tests: a market in which only the test acts. */
export * from '../../packages/sandbox/src/index';

export const startSandbox = (options: SandboxOptions = {}): Promise<Sandbox> =>
	start({ marketMaker: false, ...options });
