/** Packs all published packages into one folder: `node --import tsx scripts/pack.ts packed`. */
import { join, resolve } from 'node:path';
import { pack } from './hosts/package';

const root = join(__dirname, '..');
/** Dependencies come before the packages that need them. */
const packages = ['packages/core', 'packages/sandbox', 'packages/node-red', '.'];

async function main(): Promise<void> {
	const [into] = process.argv.slice(2);
	if (into === undefined) throw new Error('Name the folder to pack into, such as packed.');
	for (const folder of packages) console.log(await pack(join(root, folder), resolve(into)));
}

main().catch((error: unknown) => {
	process.exitCode = 1;
	console.error(error instanceof Error ? error.message : String(error));
});
