/** `npm run sandbox`: runs the sandbox exchange from source, so that a fresh checkout needs no build. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { main } from '../packages/sandbox/src/cli';

const folder = join(__dirname, '..', 'packages', 'sandbox');

async function run(): Promise<void> {
	if (!existsSync(join(folder, 'dist', 'console', 'index.html'))) {
		// The name is computed, so that this file stays CommonJS while it imports an ES module.
		const page = (await import(join(folder, 'build', 'console.mjs'))) as { build: () => Promise<void> };
		await page.build();
	}
	await main(process.argv.slice(2), process.env);
}

void run();
