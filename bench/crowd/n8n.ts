import { DatabaseSync } from 'node:sqlite';
import { until } from '../../scripts/hosts/condition';
import type { N8nHost } from '../../scripts/hosts/n8n';
import { fillOnce, keyOf, openExchange, type Crowd } from './accounts';
import { measure } from './measure';
import { withN8n, type N8nFolder } from './n8n-host';

const TYPE = 'partnerExchangeApi';
const WAIT_MS = 400_000;

/** Triggers of fills in a complete n8n, each in a workflow of its own that does nothing. */
export async function n8nCrowd(crowd: Crowd, profiles?: string): Promise<void> {
	const sandbox = await openExchange(crowd);
	try {
		await withN8n(profiles, (folder) => play(crowd, sandbox, folder));
	} finally {
		await sandbox.close();
	}
}

async function play(crowd: Crowd, sandbox: Exchange, { database, start }: N8nFolder): Promise<void> {
	const others = Math.ceil(crowd.listeners / crowd.accounts) - 1;
	const reached = (): number => executionsIn(database);
	let host = await start({ withPackage: true });
	const workflows = await saveAll(host, crowd, sandbox);
	await measure(
		{
			pid: () => host.child.process.pid!,
			activate: async () => {
				for (const id of workflows) await host.publish(id);
			},
			reached,
			stop: async () => void (await host.child.stop()),
			start: async () => {
				const owed = reached() + others;
				await fillOnce(sandbox, 'buy');
				host = await start();
				await until(() => reached() >= owed, { timeoutMs: WAIT_MS, everyMs: 200, what: 'what was missed' });
			},
		},
		crowd,
		sandbox,
	);
}

type Exchange = Awaited<ReturnType<typeof openExchange>>;

async function saveAll(host: N8nHost, { listeners, accounts }: Crowd, { baseUrl, wsUrl }: Address): Promise<string[]> {
	const credentials = [];
	for (let index = 0; index < accounts; index += 1) {
		const data = { environment: 'sandbox', apiKey: keyOf(index), baseUrl, wsUrl };
		credentials.push(await host.saveCredential({ name: `Account ${index}`, type: TYPE, data }));
	}
	const ids: string[] = [];
	for (let index = 0; index < listeners; index += 1) {
		const parameters = { topics: ['user.fills'], output: 'whole', filters: { side: index === 0 ? 'sell' : 'buy' } };
		const trigger = { name: 'Fills', type: 'n8n-nodes-partner-exchange.partnerExchangeTrigger', parameters };
		const nodes = [{ ...trigger, credentials: { [TYPE]: credentials[index % accounts]! } }];
		ids.push((await host.saveWorkflow({ name: `Listener ${index}`, nodes })).id);
	}
	return ids;
}

interface Address {
	baseUrl: string;
	wsUrl: string;
}

/** Read beside n8n, because asking its API a thousand times would be measured too. */
function executionsIn(file: string): number {
	const database = new DatabaseSync(file, { readOnly: true });
	try {
		const row = database.prepare("SELECT count(*) AS n FROM execution_entity WHERE status = 'success'").get();
		return Number(row?.['n'] ?? 0);
	} finally {
		database.close();
	}
}
