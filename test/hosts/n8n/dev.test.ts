import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { breakAt, checkout, lineOf, startDev } from '../../support/debugger';

const INSTALLED = '.sandbox/n8n/.n8n/nodes/node_modules/n8n-nodes-partner-exchange/dist/nodes/bundle.js';

describe('npm run dev -- --host n8n', () => {
	it('npm run dev stops inside n8n at a breakpoint in the source of a node', async () => {
		const folder = checkout();
		const { child, inspectPort, shows } = await startDev(folder, ['--host', 'n8n']);
		try {
			await shows(/n8n +http:\S+ /g, 1);
			const installed = join(folder, INSTALLED);
			// The code every item of the node passes; the demo workflow reads the market on a schedule.
			const line = lineOf(installed, join(folder, 'nodes/shared/action/execute.ts'));
			expect(line).toBeGreaterThan(0);
			expect(await breakAt(inspectPort, 'nodes/bundle.js', line + 1)).toBe('runItem');
		} finally {
			await child.stop('SIGINT', 300_000);
			await rm(folder, { recursive: true, force: true });
		}
		expect(child.exit()).toEqual({ code: 0, signal: null });
	});
});
