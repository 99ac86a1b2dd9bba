import { startSandbox as start, type Sandbox, type SandboxOptions } from '../../packages/sandbox/src/index';

/** The sandbox as tests want it: a market in which nothing happens but what they do. */
export * from '../../packages/sandbox/src/index';

export const startSandbox = (options: SandboxOptions = {}): Promise<Sandbox> =>
	start({ marketMaker: false, ...options });
