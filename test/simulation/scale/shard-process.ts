import { runShard } from './crowd';
import type { ShardTask } from './shards';

/** Plays one shard and ends: what runs of it on virtual time would never. */
process.once('message', (task) => {
	const { options, shard } = task as ShardTask;
	runShard(options, shard).then(
		(counts) => process.send!(counts, undefined, {}, () => process.exit()),
		(error: unknown) => {
			process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
			process.exit(1);
		},
	);
});
