import { recordRun } from '../../nodes/shared/host/execution';
import { until } from '../support/condition';
import type { Emission } from '../support/engine-trigger';
import { openTriggers, SHORTEST } from './triggers';

const { fill, listen } = openTriggers();

/** n8n tells nobody of an execution that is stopped while it waits for its turn. */
describe('a stream trigger whose execution was stopped before its turn', () => {
	beforeAll(() => recordRun('trigger'));

	it('says what to do, and hands the events over when it is activated again', async () => {
		const pending: Emission[] = [];
		const trigger = await listen({
			form: { ...SHORTEST, connectionNotices: true },
			onEmit: (each) => (each.items.length > 0 ? pending.push(each) : each.finish()),
		});
		await fill();
		await until(() => pending.length === 1, { what: 'an execution' });
		const said = () => JSON.stringify(trigger.notices());
		await until(() => said().includes('publish it again'), { what: 'a notice', seen: said });
		expect(pending).toHaveLength(1);
		await trigger.close();
		const next = await listen({ form: SHORTEST, nodeStaticData: trigger.staticData() });
		const [event] = await next.waitForItems(1);
		expect(event).toMatchObject({ eventKey: pending[0]!.items[0]!.json['eventKey'] });
	});
});
