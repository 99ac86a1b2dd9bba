/**
 * `npm run play:brokers`: kills reader, broker, consumer and network in turns while fills come in, as often as asked,
 * and tells what came of every fill.
 */
import { parseArgs } from 'node:util';
import { mosquitto } from '../../../scripts/hosts/mosquitto';
import { rabbitmq } from '../../../scripts/hosts/rabbitmq';
import type { HostName } from './parties';
import { play, type Kill, type Victim } from './play';
import { openStage } from './stage';

const { values } = parseArgs({
	options: {
		broker: { type: 'string', default: 'rabbitmq' },
		reader: { type: 'string', default: 'node-red' },
		consumer: { type: 'string', default: 'n8n' },
		fills: { type: 'string', default: '4900' },
		kills: { type: 'string', default: '30' },
		victims: { type: 'string', default: 'reader,broker,consumer,network' },
		// All fills and orders of the last hour are compared, which takes 200 pages for 10,000 of them.
		compare: { type: 'string', default: '60' },
	},
});

/** Some hundred orders are looked for among thousands after each kill. */
const PATIENCE_MS = 1_800_000;

const kills = Number(values.kills);
const turns = values.victims.split(',') as Victim[];
const victims = Array.from({ length: kills }, (_, index) => turns[index % turns.length]!);
const print = (line: string): void => void process.stdout.write(`${line}\n`);

function printLags(done: readonly Kill[]): void {
	for (const victim of new Set(done.map((kill) => kill.victim))) {
		const lags = done.filter((kill) => kill.victim === victim).map(({ lagMs }) => lagMs / 1000);
		const sorted = lags.sort((a, b) => a - b).map((lag) => lag.toFixed(1));
		print(
			`${victim.padEnd(10)} ${String(lags.length).padStart(3)} times, caught up after ${sorted[0]} to ${sorted.at(-1)} s`,
		);
	}
}

async function run(): Promise<void> {
	const broker = values.broker === 'mosquitto' ? mosquitto : rabbitmq;
	await broker.require();
	const stage = await openStage({
		broker,
		reader: values.reader as HostName,
		consumer: values.consumer as HostName,
		pace: { compareSeconds: Number(values.compare) },
	});
	try {
		const from = performance.now();
		const fillsPerKill = Math.max(1, Math.floor(Number(values.fills) / kills) - 1);
		const done = await play(stage, {
			...{ fillsPerKill, victims, patienceMs: PATIENCE_MS },
			told: ({ victim, lagMs }) => {
				const orders = stage.placed();
				const repeats = orders.length - new Set(orders).size;
				const lag = `${victim.padEnd(10)} caught up after ${(lagMs / 1000).toFixed(1).padStart(5)} s`;
				print(`${lag}: ${orders.length} orders, ${repeats} of them twice`);
			},
		});
		printLags(done);
		const [owed, placed] = [await stage.owed(), stage.placed()];
		const names = new Set(placed);
		const lost = owed.filter((name) => !names.has(name)).length;
		print(
			`${owed.length} fills, ${lost} lost, ${placed.length - names.size} acted on twice, in ${((performance.now() - from) / 1000).toFixed(0)} s`,
		);
		const late = await stage.overtakenFills();
		print(`${stage.arrived()} fills came through the broker, ${late.length} of them after later ones`);
		if (lost > 0 || placed.length > names.size || late.length > 0) process.exitCode = 1;
	} finally {
		await stage.close();
	}
}

void run();
