/** A stream trigger's obligations to n8n when it is activated and deactivated. */
import { until } from '../support/condition';
import type { Emission, RunningTrigger } from '../support/engine-trigger';
import { openTriggers } from './triggers';

describe('a stream trigger', () => {
	const { sandbox, fill, listen, workflow } = openTriggers();

	const turns = async (): Promise<void> => {
		for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
	};
	const carrying = ({ emissions }: RunningTrigger) => emissions.filter(({ items }) => items.length > 0);
	const topicsAtService = async (): Promise<string[]> => {
		const answer = await fetch(`${sandbox().url}/_sandbox/state`);
		const { clients } = (await answer.json()) as { clients: { topics: { topic: string }[] }[] };
		return clients.flatMap(({ topics }) => topics.map(({ topic }) => topic));
	};

	it('waits for the execution in progress when a trigger stops, and stores its end', async () => {
		const pending: Emission[] = [];
		const trigger = await listen({ onEmit: (each) => (each.items.length > 0 ? pending.push(each) : each.skip()) });
		await fill();
		await until(() => pending.length === 1, { what: 'an execution' });
		let isStopped = false;
		const stopping = trigger.close().then(() => (isStopped = true));
		await turns();
		expect(isStopped).toBe(false);
		pending[0]!.finish();
		await stopping;
		const next = await listen({ nodeStaticData: trigger.emissions.at(-1)!.staticData });
		await fill();
		await next.waitForItems(1);
		expect(next.items().map(({ eventKey }) => eventKey)).not.toContain(pending[0]!.items[0]!.json['eventKey']);
	});

	it('starts no execution before the activation of its trigger is complete', async () => {
		let isActive = false;
		const tooEarly: Emission[] = [];
		sandbox().faults.arm({ kind: 'delay', route: 'GET /partner/exchange/fills', delayMs: 500, times: 2 });
		const activating = listen({
			onEmit: (each) => {
				if (!isActive) tooEarly.push(each);
				each.finish();
			},
		}).then((trigger) => {
			isActive = true;
			return trigger;
		});
		await until(async () => (await topicsAtService()).includes('user.fills'), { what: 'the subscription' });
		await fill();
		const trigger = await activating;
		await fill();
		await trigger.waitForItems(1);
		expect(tooEarly).toEqual([]);
	});

	it('puts the position of an ended execution into the static data before the next emit stores it', async () => {
		const trigger = await listen();
		for (let count = 1; count <= 3; count += 1) {
			await fill();
			await until(() => trigger.items().length >= count, { what: 'the event', seen: () => trigger.emissions });
		}
		const [first, , third] = carrying(trigger);
		// A process that was killed; within one, a start knows which events an execution in progress was given.
		const restarted = await listen({ nodeStaticData: third!.staticData, workflowId: workflow('killed') });
		await fill();
		const seen = () => ({ stored: third!.staticData, emissions: restarted.emissions, stops: restarted.errors });
		await until(() => restarted.items().length >= 2, { what: 'the events after it', seen });
		expect(restarted.items().map(({ eventKey }) => eventKey)).not.toContain(first!.items[0]!.json['eventKey']);
	});

	it('unsubscribes a stopped trigger, and the others stay subscribed', async () => {
		const [entry, other] = [await listen(), await listen({ workflowId: workflow('other') })];
		// Keeps the connection open, which would otherwise close and end every topic.
		const parameters = { topics: ['user.orders'], pairs: [], filters: {}, options: {} };
		await listen({ workflowId: workflow('third'), parameters });
		await entry.close();
		expect(await topicsAtService()).toContain('user.fills');
		await fill();
		await other.waitForItems(1);
		await turns();
		expect(entry.items()).toEqual([]);
		await other.close();
		await until(async () => !(await topicsAtService()).includes('user.fills'), { what: 'the topic to be given back' });
	});
});
