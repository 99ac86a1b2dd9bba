/** `npm run sandbox`: the sandbox exchange alone, from its source, so that a fresh checkout needs no build first. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../packages/sandbox/src/cli';

const folder = join(__dirname, '..', 'packages', 'sandbox');

async function run(): Promise<void> {
	if (!existsSync(join(folder, 'dist', 'console', 'index.html'))) {
		// A computed name keeps this file CommonJS while the bundler's own module is not.
		const page = (await import(join(folder, 'build', 'console.mjs'))) as { build: () => Promise<void> };
		await page.build();
	}
	await main(process.argv.slice(2), process.env);
}

void run();
