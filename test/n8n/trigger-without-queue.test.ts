import { PartnerExchange } from '../../nodes/PartnerExchange/PartnerExchange.node';
import { until } from '../support/condition';
import { runNode } from '../support/engine';
import type { Emission } from '../support/engine-trigger';
import { credentialFor } from './exchange';
import { openTriggers } from './triggers';

const { sandbox, fill, listen } = openTriggers();
/** Twice as long as the execution may take. */
const LATE_MS = 2_000;

describe('a stream trigger of an n8n without a queue', () => {
	it('hands nothing over again while its first execution is slow, once one of our nodes ran in this process', async () => {
		const balances = { resource: 'wallet', operation: 'getBalances' };
		const run = await runNode(PartnerExchange, { ...credentialFor(sandbox()), parameters: balances, mode: 'trigger' });
		expect(run.status).toBe('success');
		const held: Emission[] = [];
		await listen({
			form: { executionSeconds: 1 },
			onEmit: (each) => void (each.items.length === 0 ? each.skip() : held.push(each)),
		});
		await fill();
		await until(() => held.length === 1, { what: 'the first execution' });
		const began = Date.now();
		await until(() => Date.now() - began > LATE_MS, { what: 'the time an execution may take' });
		expect(held).toHaveLength(1);
		held[0]!.finish();
	});
});
