import { parseArgs } from 'node:util';
import { runShard } from './scale/crowd';
import { peakOf, together, totalOf, type ShardCounts } from './scale/report';

/**
 * The load that many accounts put on a service, by the real core on virtual time: `npm run sim:scale -- --accounts
 * 100000`. Accounts are simulated one shard at a time to bound memory, and the shards' counts are added up. Ctrl-C ends
 * it and prints the counts so far.
 */

const { values } = parseArgs({
	options: {
		accounts: { type: 'string', default: '2000' },
		'accounts-at-once': { type: 'string', default: '2000' },
		'fills-per-hour': { type: 'string', default: '10' },
		'start-seconds': { type: 'string', default: '60' },
		'steady-minutes': { type: 'string', default: '5' },
		'outage-seconds': { type: 'string', default: '60' },
		'recovery-seconds': { type: 'string', default: '60' },
		seed: { type: 'string', default: '1' },
	},
});

const number = (value: number): string => value.toFixed(value < 10 ? 2 : 0).padStart(10);

async function main(): Promise<void> {
	const began = performance.now();
	const options = {
		accounts: Number(values.accounts),
		startMs: Number(values['start-seconds']) * 1_000,
		steadyMs: Number(values['steady-minutes']) * 60_000,
		outageMs: Number(values['outage-seconds']) * 1_000,
		recoveryMs: Number(values['recovery-seconds']) * 1_000,
		fillsPerHour: Number(values['fills-per-hour']),
		seed: Number(values.seed),
	};
	const [shards, size] = [[] as ShardCounts[], Number(values['accounts-at-once'])];
	let isStopped = false;
	process.once('SIGINT', () => (isStopped = true));
	for (let from = 0; from < options.accounts && !isStopped; from += size) {
		shards.push(await runShard(options, { from, count: Math.min(size, options.accounts - from) }));
		process.stderr.write(`${Math.min(from + size, options.accounts)} of ${options.accounts} accounts\r`);
	}
	const all = together(shards);
	print(all, shards.length);
	const { user, system } = process.cpuUsage();
	const megabytes = process.resourceUsage().maxRSS / 1024;
	const took = `${((user + system) / 1e6).toFixed(0)} s of CPU and ${megabytes.toFixed(0)} MB`;
	console.log(`${took} on this machine (${((performance.now() - began) / 1_000).toFixed(0)} s went by)`);
	if (all.delivered !== all.made || all.caughtUpMs === undefined) process.exitCode = 1;
}

function print({ accounts, phases, heapBytes, ...rest }: ShardCounts, shards: number): void {
	console.log(`${accounts} accounts in ${shards} shards, one stream and one subscriber of fills each`);
	console.log('phase          seconds    reads/s  peak of 1 s   connects   peak of 1 s   frames/s  connections');
	for (const { name, seconds, reads, connects, frames, connections } of phases) {
		const read = `${number(totalOf(reads) / seconds)} ${number(peakOf(reads))}`;
		const connected = `${number(totalOf(connects))}    ${number(peakOf(connects))}`;
		const text = number(totalOf(frames) / seconds);
		console.log(`${name.padEnd(10)}${number(seconds)} ${read}   ${connected} ${text}   ${number(connections)}`);
	}
	console.log(`connected again after ${seconds(rest.connectedMs)}, caught up after ${seconds(rest.caughtUpMs)}`);
	console.log(`${rest.made} fills made, ${rest.delivered} delivered, ${rest.repeated} twice`);
	console.log(`${(heapBytes / accounts / 1024).toFixed(1)} kB of memory for each account, this simulation included`);
}

const seconds = (ms: number | undefined): string => (ms === undefined ? 'no time that was watched' : `${ms / 1_000} s`);

void main();
