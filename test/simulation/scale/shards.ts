import { fork } from 'node:child_process';
import type { CrowdOptions, Shard } from './crowd';
import type { ShardCounts } from './report';

/** What a process is sent, and answers with its counts. */
export interface ShardTask {
	options: CrowdOptions;
	shard: Shard;
}

/** Plays one shard after the other, each in a process of its own, so that the memory of one is enough for all. */
export async function runShards(
	options: CrowdOptions,
	size: number,
	ended: (shard: Shard) => void,
): Promise<ShardCounts[]> {
	const counts: ShardCounts[] = [];
	for (let from = 0; from < options.accounts; from += size) {
		const shard = { from, count: Math.min(size, options.accounts - from) };
		counts.push(await inProcess({ options, shard }));
		ended(shard);
	}
	return counts;
}

const inProcess = (task: ShardTask): Promise<ShardCounts> =>
	new Promise((resolve, reject) => {
		const child = fork(require.resolve('./shard-process'), { execArgv: process.execArgv });
		let counts: ShardCounts | undefined;
		child.once('message', (message) => (counts = message as ShardCounts));
		child.once('error', reject);
		child.once('exit', (code, signal) =>
			counts ? resolve(counts) : reject(new Error(`A shard ended with ${signal ?? code} and without its counts`)),
		);
		child.send(task);
	});
