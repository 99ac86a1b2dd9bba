/** A bench on one Node-RED for all that need none of their own: it begins with the first, and ends when it is stopped. */
import { startSandbox } from '@partner-exchange/sandbox';
import { startNodeRed, type TestNodeRed } from '../support/node-red';
import { packageFolder, tab, type Bench } from './flows';

/** The variables that a form of any of them names. */
const env = { DRY_RUN: 'yes', EMPTY_KEY: '', EMPTY_LIMIT: '' };

let common: Promise<TestNodeRed> | undefined;
export const stopCommon = async (): Promise<void> => await (await common)?.stop();

/** What a bench deploys is taken down at its end. */
export async function openCommonBench(options: Parameters<typeof startSandbox>[0] = {}): Promise<Bench> {
	const nodeRed = await (common ??= startNodeRed({ packages: [packageFolder], env }));
	const sandbox = await startSandbox({ seed: 7, ...options });
	nodeRed.forget();
	const close = async (): Promise<void> => {
		await nodeRed.deploy([tab]);
		await sandbox.close();
	};
	return { sandbox, nodeRed, close };
}
