import { until } from '../../scripts/hosts/condition';
import type { Sandbox } from '@partner-exchange/sandbox';
import { fillOnce, type Crowd } from './accounts';
import { usedBy } from './cost';

const WAIT_MS = 400_000;

/** A complete host with its listeners: the first gets sales alone, all others purchases alone. */
export interface CrowdHost {
	pid(): number;
	/** Makes all listeners, and resolves when they are served. */
	activate(): Promise<void>;
	/** Events that reached what stands behind the listeners, since the host was made. */
	reached(): number | Promise<number>;
	stop(): Promise<void>;
	start(): Promise<void>;
}

/** Prints what each step took of the host's process, and how often the fills were read, by the service's own count. */
export async function measure(host: CrowdHost, { listeners, accounts }: Crowd, sandbox: Sandbox): Promise<void> {
	const onFirst = Math.ceil(listeners / accounts);
	const step = async (name: string, run: () => Promise<void>, isFresh = false): Promise<void> => {
		const [before, reads, began] = [isFresh ? 0 : usedBy(host.pid()).cpuSeconds, readsIn(sandbox), performance.now()];
		await run();
		const { cpuSeconds, megabytes } = usedBy(host.pid());
		const cpu = `${(cpuSeconds - before).toFixed(2).padStart(8)} s of CPU, ${megabytes.toFixed(0)} MB after it`;
		const seconds = ((performance.now() - began) / 1_000).toFixed(1);
		console.log(`${name.padEnd(18)}${cpu}, ${readsIn(sandbox) - reads} reads of fills (${seconds} s went by)`);
	};
	const event = async (side: 'buy' | 'sell', count: number): Promise<void> => {
		const owed = (await host.reached()) + count;
		await fillOnce(sandbox, side);
		await until(async () => (await host.reached()) >= owed, { timeoutMs: WAIT_MS, everyMs: 100, what: 'an event' });
	};
	console.log(`${listeners} listeners on ${accounts} accounts`);
	await step('active', host.activate);
	await step('an event for one', () => event('sell', 1));
	await step('an event for all', () => event('buy', onFirst - 1));
	await host.stop();
	await step('start again', host.start, true);
	await step('an event for one', () => event('sell', 1));
}

const readsIn = ({ requests }: Sandbox): number =>
	requests.filter(({ method, path }) => method === 'GET' && path.includes('/fills')).length;
