import { recordRun } from '../../nodes/shared/host/execution';
import { until } from '../support/condition';
import type { Emission } from '../support/engine-trigger';
import { openTriggers, SHORTEST } from './triggers';

const { fill, listen, outlast } = openTriggers();

describe('a stream trigger that learns during its first execution that n8n has no queue', () => {
	it('hands nothing over again during a slow first execution that shows n8n has no queue', async () => {
		const pending: Emission[] = [];
		await listen({
			form: SHORTEST,
			onEmit: (each) => {
				if (each.items.length === 0) return each.skip();
				// An immediate runs before any timer, however slow the machine is.
				if (pending.push(each) === 1) setImmediate(() => recordRun('trigger'));
			},
		});
		await outlast(pending);
		expect(pending).toHaveLength(1);
		pending[0]!.finish();
		await fill();
		await until(() => pending.length === 2, { what: 'the next execution' });
		pending[1]!.finish();
	});
});
