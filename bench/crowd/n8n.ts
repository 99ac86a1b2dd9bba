import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '../../scripts/hosts/condition';
import { startN8n, type N8nHost } from '../../scripts/hosts/n8n';
import { installN8n } from '../../scripts/hosts/n8n-install';
import { pack } from '../../scripts/hosts/package';
import { freePort } from '../../scripts/hosts/ports';
import { fillOnce, keyOf, openExchange, type Crowd } from './accounts';
import { measure } from './measure';
import { profiledTo } from './profile';

const PACKAGE = join(__dirname, '..', '..');
const TYPE = 'partnerExchangeApi';
const WAIT_MS = 400_000;

/** Triggers of fills in a complete n8n, each in a workflow of its own that does nothing. */
export async function n8nCrowd(crowd: Crowd, profiles?: string): Promise<void> {
	const userFolder = await mkdtemp(join(tmpdir(), 'crowd-'));
	const sandbox = await openExchange(crowd);
	const { program } = await installN8n((line) => process.stderr.write(`${line}\n`));
	const others = Math.ceil(crowd.listeners / crowd.accounts) - 1;
	let host: N8nHost | undefined;
	const start = async (packages: string[]): Promise<void> => {
		host = await startN8n({ program, userFolder, port: await freePort(), packages, env: profiledTo(profiles) });
	};
	const reached = (): number => executionsIn(join(userFolder, '.n8n', 'database.sqlite'));
	try {
		await start([await pack(PACKAGE, userFolder)]);
		const workflows = await saveAll(host!, crowd, sandbox);
		await measure(
			{
				pid: () => host!.child.process.pid!,
				activate: async () => {
					for (const id of workflows) await host!.publish(id);
				},
				reached,
				stop: async () => void (await host!.child.stop()),
				start: async () => {
					const owed = reached() + others;
					await fillOnce(sandbox, 'buy');
					await start([]);
					await until(() => reached() >= owed, { timeoutMs: WAIT_MS, everyMs: 200, what: 'what was missed' });
				},
			},
			crowd,
			sandbox,
		);
	} finally {
		await host?.child.stop();
		await sandbox.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function saveAll(host: N8nHost, { listeners, accounts }: Crowd, { baseUrl, wsUrl }: Address): Promise<string[]> {
	const credentials = [];
	for (let index = 0; index < accounts; index += 1) {
		const data = { environment: 'sandbox', apiKey: keyOf(index), baseUrl, wsUrl };
		credentials.push(await host.saveCredential({ name: `Account ${index}`, type: TYPE, data }));
	}
	const ids: string[] = [];
	for (let index = 0; index < listeners; index += 1) {
		const parameters = { topics: ['user.fills'], filters: { side: index === 0 ? 'sell' : 'buy' } };
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
