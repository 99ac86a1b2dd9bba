import { ask, list, startDemo, withFolder } from '../../support/demo';

describe('npm run start:n8n', () => {
	it('start:n8n reports orders, fills, balances and the alert of its two workflows, stops cleanly, and goes on at the next start', async () => {
		await withFolder(async (data) => {
			const demo = await startDemo({ script: 'start-n8n', portFlag: '--n8n-port', data });
			await demo.waitForLine(new RegExp(`n8n +${demo.hostUrl} +sign in as`));
			const [, orderId] = await demo.waitForLine(/order placed {3}buy 10\.00 USD\/NGN at market \((.+)\)/);
			await demo.waitForLine(new RegExp(`filled {9}buy [\\d.]+ USD/NGN at [\\d.]+ \\(${orderId}\\)`));
			await demo.waitForLine(/balance {8}NGN [\d.]+/);
			await demo.waitForLine(/ALERT {10}the NGN balance fell below/);
			await demo.waitForLine(/deposited {6}60000\.00 NGN/);
			expect(demo.lines().filter((line) => /problem|n8n: /.test(line))).toEqual([]);
			expect(demo.lines().join('\n')).not.toContain('sandbox-key');
			// The reader's own key, for which nothing has traded yet.
			expect(await list(demo.sandboxUrl, '/exchange/fills', 'fills')).toEqual([]);
			const { balances } = await ask<{ balances: object[] }>(demo.sandboxUrl, '/wallets/balances/overview');
			expect(balances).toContainEqual(expect.objectContaining({ currency: 'NGN', total: '50000000.00' }));
			expect(await demo.interrupt()).toEqual({ code: 0, signal: null });
			await expect(fetch(demo.sandboxUrl)).rejects.toThrow();
			await expect(fetch(demo.hostUrl)).rejects.toThrow();

			const again = await startDemo({ script: 'start-n8n', portFlag: '--n8n-port', data });
			await again.waitForLine(/Your workflows of the last start are kept/);
			await again.waitForLine(/filled {9}buy/);
			expect(again.lines().filter((line) => /problem|demo of this version/.test(line))).toEqual([]);
			expect(await again.interrupt()).toEqual({ code: 0, signal: null });
		});
	});
});
