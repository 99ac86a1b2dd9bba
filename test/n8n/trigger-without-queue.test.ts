import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { runNode } from '../support/engine';
import type { Emission } from '../support/engine-trigger';
import { credentialFor } from './exchange';
import { openTriggers, SHORTEST } from './triggers';

const { sandbox, listen, outlast } = openTriggers();

describe('a stream trigger of an n8n without a queue', () => {
	it('hands nothing over again during a slow first execution once one of our nodes ran in an n8n without a queue', async () => {
		const balances = { resource: 'wallet', operation: 'getBalances' };
		const run = await runNode(PartnerExchange, { ...credentialFor(sandbox()), parameters: balances, mode: 'trigger' });
		expect(run.status).toBe('success');
		const pending: Emission[] = [];
		await listen({
			form: SHORTEST,
			onEmit: (each) => void (each.items.length === 0 ? each.skip() : pending.push(each)),
		});
		await outlast(pending);
		expect(pending).toHaveLength(1);
		pending[0]!.finish();
	});
});
