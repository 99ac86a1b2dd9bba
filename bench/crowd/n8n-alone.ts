import { usedBy } from './cost';
import { withN8n } from './n8n-host';

/** What n8n takes to publish as many workflows with a trigger of its own, which listens to nothing but the clock. */
export const n8nAlone = (listeners: number, profiles?: string): Promise<void> =>
	withN8n(profiles, async ({ start }) => {
		const host = await start();
		const ids: string[] = [];
		for (let index = 0; index < listeners; index += 1) {
			const parameters = { rule: { interval: [{ field: 'months', monthsInterval: 12 }] } };
			const nodes = [{ name: 'Schedule', type: 'n8n-nodes-base.scheduleTrigger', typeVersion: 1.2, parameters }];
			ids.push((await host.saveWorkflow({ name: `Listener ${index}`, nodes })).id);
		}
		const [before, began] = [usedBy(host.child.process.pid!), performance.now()];
		for (const id of ids) await host.publish(id);
		const { cpuSeconds, megabytes } = usedBy(host.child.process.pid!);
		const seconds = ((performance.now() - began) / 1_000).toFixed(1);
		const cpu = (cpuSeconds - before.cpuSeconds).toFixed(2);
		console.log(`${listeners} schedules of n8n's own`);
		console.log(`active ${cpu} s of CPU, ${megabytes.toFixed(0)} MB after it (${seconds} s went by)`);
	});
