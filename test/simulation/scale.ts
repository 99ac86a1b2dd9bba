import { parseArgs } from 'node:util';
import { runCrowd } from './scale/crowd';

/** What many accounts ask of a service, by the real core on virtual time: `npm run sim:scale -- --accounts 100000`. */

const { values } = parseArgs({
	options: {
		accounts: { type: 'string', default: '2000' },
		'fills-per-hour': { type: 'string', default: '10' },
		'start-seconds': { type: 'string', default: '60' },
		'steady-minutes': { type: 'string', default: '5' },
		'outage-seconds': { type: 'string', default: '60' },
		seed: { type: 'string', default: '1' },
	},
});

async function main(): Promise<void> {
	const began = performance.now();
	const accounts = Number(values.accounts);
	const report = await runCrowd({
		accounts,
		startMs: Number(values['start-seconds']) * 1_000,
		steadyMs: Number(values['steady-minutes']) * 60_000,
		outageMs: Number(values['outage-seconds']) * 1_000,
		fillsPerHour: Number(values['fills-per-hour']),
		seed: Number(values.seed),
	});
	const number = (value: number): string => value.toFixed(value < 10 ? 2 : 0).padStart(10);
	console.log(`${accounts} accounts, one stream and one subscriber of fills each`);
	console.log('phase          seconds    reads/s  peak of 1 s   connects   peak of 1 s   frames/s  connections');
	for (const { name, seconds, reads, connects, frames, connections } of report.phases) {
		const asked = `${number(reads.perSecond)} ${number(reads.peak)}   ${number(connects.total)}    ${number(connects.peak)}`;
		console.log(`${name.padEnd(10)}${number(seconds)} ${asked} ${number(frames.perSecond)}   ${number(connections)}`);
	}
	console.log(`connected again after ${report.connectedMs / 1_000} s, caught up after ${report.caughtUpMs / 1_000} s`);
	console.log(`${report.made} fills made, ${report.delivered} delivered, ${report.repeated} twice`);
	console.log(`${(report.heapPerAccount / 1024).toFixed(1)} kB of memory for each account, this simulation included`);
	console.log(`${((performance.now() - began) / 1_000).toFixed(1)} s on this machine`);
	if (report.delivered !== report.made || report.caughtUpMs === 0) process.exitCode = 1;
}

void main();
