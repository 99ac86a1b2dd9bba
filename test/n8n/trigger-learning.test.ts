import { noteRun } from '../../nodes/shared/execution';
import { until } from '../support/condition';
import type { Emission } from '../support/engine-trigger';
import { openTriggers } from './triggers';

const { fill, listen } = openTriggers();
/** Twice as long as the execution may take. */
const LATE_MS = 2_000;

describe('a stream trigger that learns during its first execution that n8n has no queue', () => {
	it('hands nothing over again while that execution is slow', async () => {
		const held: Emission[] = [];
		await listen({
			form: { executionSeconds: 1 },
			onEmit: (each) => {
				if (each.items.length === 0) return each.skip();
				// An immediate runs before any timer, however slow the machine is.
				if (held.push(each) === 1) setImmediate(() => noteRun('trigger'));
			},
		});
		await fill();
		await until(() => held.length === 1, { what: 'the first execution' });
		const began = Date.now();
		await until(() => Date.now() - began > LATE_MS, { what: 'the time an execution may take' });
		expect(held).toHaveLength(1);
		held[0]!.finish();
		await fill();
		await until(() => held.length === 2, { what: 'the next execution' });
		held[1]!.finish();
	});
});
