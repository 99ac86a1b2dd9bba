import { parseArgs } from 'node:util';
import { n8nCrowd } from './crowd/n8n';
import { nodeRedCrowd } from './crowd/node-red';

/** Many listeners in a complete host: `npm run bench:crowd -- n8n --listeners 100 --accounts 1`, or `node-red`. */

const LISTENERS_MAX = 1_000;

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { listeners: { type: 'string', default: '100' }, accounts: { type: 'string', default: '1' } },
	});
	const crowd = { listeners: Number(values.listeners), accounts: Number(values.accounts) };
	if (!(crowd.listeners > 0 && crowd.listeners <= LISTENERS_MAX && crowd.accounts <= crowd.listeners))
		throw new Error(`Name up to ${LISTENERS_MAX} listeners and no more accounts than those`);
	await (positionals[0] === 'node-red' ? nodeRedCrowd(crowd) : n8nCrowd(crowd));
}

main().then(
	() => process.exit(0),
	(error: unknown) => {
		process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
		process.exit(1);
	},
);
