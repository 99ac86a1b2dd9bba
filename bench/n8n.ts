import { run } from './n8n/kills';
import { reads } from './n8n/reads';

const [what = '40', ...more] = process.argv.slice(2);

/**
 * Kills n8n again and again while fills arrive, and counts how often each was processed: `npm run bench:n8n -- 40`. Or
 * reads a thousand orders in a complete n8n, so many times: `npm run bench:n8n -- reads 5`.
 */
(what === 'reads' ? reads(Number(more[0] ?? 5)) : run(Number(what), more[0])).then(
	() => process.exit(0),
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
		process.exit(1);
	},
);
