import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startN8n } from '../../scripts/hosts/n8n';
import { installN8n } from '../../scripts/hosts/n8n-install';
import { freePort } from '../../scripts/hosts/ports';
import { usedBy } from './cost';
import { profiledTo } from './profile';

/** What n8n takes to publish as many workflows with a trigger of its own, which listens to nothing but the clock. */
export async function n8nAlone(listeners: number, profiles?: string): Promise<void> {
	const userFolder = await mkdtemp(join(tmpdir(), 'crowd-'));
	const { program } = await installN8n((line) => process.stderr.write(`${line}\n`));
	const host = await startN8n({ program, userFolder, port: await freePort(), env: profiledTo(profiles) });
	try {
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
	} finally {
		await host.child.stop();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}
}
