/** A bench on one Node-RED for all that need none of their own: it begins with the first, and ends when it is stopped. */
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSandbox } from '@partner-exchange/sandbox';
import { startNodeRed, type TestNodeRed } from '../support/node-red';
import { packageFolder, tab, type Bench } from './flows';

/** Where flows write files, and where the context store `held` keeps its own. */
export const files = mkdtempSync(join(tmpdir(), 'common-bench-'));

/** The variables that a form of any of them names. */
const env = { DRY_RUN: 'yes', EMPTY_KEY: '', SPACES_EMPTY_KEY: '  ', EMPTY_LIMIT: '', ORDER_QUANTITY: '7.00' };

// Node-RED looks for a module named by text in a folder of its own, so the path leads to the root first.
const heldStore = `${'../'.repeat(20)}${join(__dirname, '..', 'support', 'held-context-store.js')}`;
const settings = {
	fileWorkingDirectory: files,
	// A deploy waits for nodes to close, and no time limit is reached while a test runs.
	nodeCloseTimeout: 3_600_000,
	contextStorage: {
		default: { module: 'memory' },
		disk: { module: 'localfilesystem', config: { flushInterval: 1 } },
		held: { module: heldStore, config: { folder: files } },
	},
};

let common: Promise<TestNodeRed> | undefined;
export async function stopCommon(): Promise<void> {
	await (await common)?.stop();
	await rm(files, { recursive: true, force: true });
}

/** What a bench deploys and stores is removed at its end, and its log begins with it. */
export async function openCommonBench(options: Parameters<typeof startSandbox>[0] = {}): Promise<Bench> {
	let from = 0;
	if (common) from = (await common).log().length;
	const nodeRed = await (common ??= startNodeRed({ packages: [packageFolder], env, settings }));
	const sandbox = await startSandbox({ seed: 7, ...options });
	nodeRed.forget();
	const restart: TestNodeRed['restart'] = async (signal) => {
		await nodeRed.restart(signal);
		from = 0;
	};
	const close = async (): Promise<void> => {
		await nodeRed.deploy([tab]);
		await rm(join(nodeRed.userDir, 'partner-exchange'), { recursive: true, force: true, maxRetries: 3 });
		await sandbox.close();
	};
	return { sandbox, nodeRed: { ...nodeRed, restart, log: () => nodeRed.log().slice(from) }, close };
}
