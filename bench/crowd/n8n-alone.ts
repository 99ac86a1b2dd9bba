import { setTimeout as sleepFor } from 'node:timers/promises';
import { usedBy } from './cost';
import { withN8n } from './n8n-host';

/** A second in which a process uses less than this does nothing but wait. */
const IDLE_SECONDS = 0.05;

/** What n8n takes to publish and to start as many workflows with a trigger of its own, which listens to the clock alone. */
export const n8nAlone = (listeners: number, profiles?: string): Promise<void> =>
	withN8n(profiles, async ({ start }) => {
		let host = await start();
		const pid = (): number => host.child.process.pid!;
		const ids: string[] = [];
		for (let index = 0; index < listeners; index += 1) {
			const parameters = { rule: { interval: [{ field: 'months', monthsInterval: 12 }] } };
			const nodes = [{ name: 'Schedule', type: 'n8n-nodes-base.scheduleTrigger', typeVersion: 1.2, parameters }];
			ids.push((await host.saveWorkflow({ name: `Listener ${index}`, nodes })).id);
		}
		console.log(`${listeners} schedules of n8n's own`);
		const [before, began] = [usedBy(pid()).cpuSeconds, performance.now()];
		for (const id of ids) await host.publish(id);
		tell('active', pid(), before, began);
		await host.child.stop();
		const again = performance.now();
		host = await start();
		for (let used = 0; usedBy(pid()).cpuSeconds - used > IDLE_SECONDS; await sleepFor(1_000))
			used = usedBy(pid()).cpuSeconds;
		tell('start again', pid(), 0, again);
	});

function tell(step: string, pid: number, before: number, began: number): void {
	const { cpuSeconds, megabytes } = usedBy(pid);
	const seconds = ((performance.now() - began) / 1_000).toFixed(1);
	const cpu = (cpuSeconds - before).toFixed(2);
	console.log(
		`${step.padEnd(18)}${cpu.padStart(8)} s of CPU, ${megabytes.toFixed(0)} MB after it (${seconds} s went by)`,
	);
}
