import { run } from './n8n/kills';

/** Kills n8n again and again while fills arrive, and counts how often each was processed: `npm run bench:n8n -- 40`. */
run(Number(process.argv[2] ?? 40), process.argv[3]).then(
	() => process.exit(0),
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
		process.exit(1);
	},
);
