import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasDemo } from '../../scripts/hosts/demo-folder';
import type { FlowNode } from '../support/node-red';
import { openEditor } from './editor-page';
import { KEY, node, packageFolder } from './flows';

describe('the demo flow', () => {
	it('stays the demo of its version when the editor has stored it', async () => {
		const nobody = { baseUrl: 'http://127.0.0.1:1/v1', wsUrl: 'ws://127.0.0.1:1/v1/ws' };
		const text = readFileSync(join(packageFolder, '../../examples/node-red/demo.json'), 'utf8');
		const demo = (JSON.parse(text) as FlowNode[]).map((node) =>
			'baseUrl' in node ? { ...node, ...nobody, credentials: { apiKey: KEY } } : node,
		);
		const { nodeRed, page, close } = await openEditor([...demo, ...node('first', 'balances', {}, 1)], {
			viewport: { width: 1400, height: 1000 },
		});
		try {
			await page.evaluate('RED.nodes.dirty(true)');
			const stored = page.waitForResponse(
				(response) => response.request().method() === 'POST' && response.url().endsWith('/flows'),
			);
			await page.locator('#red-ui-header-button-deploy').click();
			await stored;
			expect(hasDemo(await nodeRed.api<FlowNode[]>('/flows'), demo)).toBe(true);
		} finally {
			await close();
		}
	});
});
