import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { breakAt, checkout, lineOf, startDev } from '../support/debugger';

const INSTALLED = '.sandbox/node-red/node_modules/@partner-exchange/node-red/dist/partner-exchange.js';

describe('npm run dev', () => {
	it('npm run dev stops at a breakpoint in a source, and restarts when a source changes', async () => {
		const folder = checkout();
		const { child, inspectPort, shows } = await startDev(folder);
		try {
			await shows(/Node-RED +http:\S+ /g, 1);
			const installed = join(folder, INSTALLED);
			// The code every input message passes first; the demo places an order every few seconds.
			const line = lineOf(installed, join(folder, 'packages/node-red/src/action/action.ts'));
			expect(line).toBeGreaterThan(0);
			expect(await breakAt(inspectPort, 'partner-exchange.js', line + 1)).toBe('handle');

			const words = join(folder, 'packages/core/src/catalogue/orders.ts');
			const text = readFileSync(words, 'utf8');
			const [, label] = /label: '([^']+)'/.exec(text)!;
			writeFileSync(words, text.replace(`'${label}'`, "'Changed by a developer'"));
			await shows(/packages\/core\/src\/catalogue\/orders\.ts changed\./g, 1);
			await shows(/Node-RED +http:\S+ /g, 2);
			expect(readFileSync(installed, 'utf8')).toContain('Changed by a developer');
		} finally {
			await child.stop('SIGINT', 300_000);
			await rm(folder, { recursive: true, force: true });
		}
		expect(child.exit()).toEqual({ code: 0, signal: null });
	});
});
