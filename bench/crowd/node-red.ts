import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../scripts/hosts/condition';
import { startNodeRed, type FlowNode, type NodeRedHost } from '../../scripts/hosts/node-red';
import { pack } from '../../scripts/hosts/package';
import { freePort } from '../../scripts/hosts/ports';
import { fillOnce, keyOf, openExchange, type Crowd } from './accounts';
import { measure } from './measure';

const PACKAGE = join(__dirname, '..', '..', 'packages', 'node-red');
const COUNTED = 'EVENT';
const TRIES_MAX = 40;
const TRY_MS = 5_000;

/** Events nodes in one flow file, and one that writes a line for each event behind them. */
function flowOf({ listeners, accounts }: Crowd, { baseUrl, wsUrl }: { baseUrl: string; wsUrl: string }): FlowNode[] {
	const configs = Array.from({ length: accounts }, (_, index) => ({
		...{ id: `account-${index}`, type: 'partner-exchange-account', name: '', environment: 'sandbox', baseUrl, wsUrl },
		credentials: { apiKey: keyOf(index) },
	}));
	const nodes = Array.from({ length: listeners }, (_, index) => ({
		...{ id: `events-${index}`, type: 'partner-exchange-events', z: 'tab', account: `account-${index % accounts}` },
		...{ topics: ['user.fills'], side: index === 0 ? 'sell' : 'buy', wires: [['count'], []] },
	}));
	const func = `node.warn('${COUNTED}');`;
	const count = { id: 'count', type: 'function', z: 'tab', func, outputs: 0, wires: [] };
	return [{ id: 'tab', type: 'tab', label: 'Crowd' }, ...configs, ...nodes, count];
}

export async function nodeRedCrowd(crowd: Crowd): Promise<void> {
	const userDir = await mkdtemp(join(tmpdir(), 'crowd-'));
	const sandbox = await openExchange(crowd);
	const others = Math.ceil(crowd.listeners / crowd.accounts) - 1;
	let host: NodeRedHost | undefined;
	let counted = 0;
	const onLine = (line: string): void => void (counted += line.includes(COUNTED) ? 1 : 0);
	const start = async (packages: string[]): Promise<void> => {
		host = await startNodeRed({ userDir, port: await freePort(), packages, onLine });
	};
	/** A deploy ends before its nodes listen, so events are made until one reaches all of them. */
	const served = async (): Promise<void> => {
		for (let tries = 0; tries < TRIES_MAX; tries += 1) {
			const before = counted;
			await fillOnce(sandbox, 'sell');
			await fillOnce(sandbox, 'buy');
			const all = () => counted >= before + others + 1;
			if (
				await until(all, { timeoutMs: TRY_MS, everyMs: 100, what: 'all nodes to listen' }).then(
					() => true,
					() => false,
				)
			)
				return;
		}
		throw new Error('Not all nodes came to listen');
	};
	try {
		await start([await pack(PACKAGE, userDir)]);
		await measure(
			{
				pid: () => host!.child.process.pid!,
				activate: async () => {
					await host!.deploy(flowOf(crowd, sandbox));
					await served();
				},
				reached: () => counted,
				stop: async () => void (await host!.child.stop()),
				start: async () => {
					await start([]);
					await served();
				},
			},
			crowd,
			sandbox,
		);
	} finally {
		await host?.child.stop();
		await sandbox.close();
		await rm(userDir, { recursive: true, force: true, maxRetries: 5 });
	}
}
