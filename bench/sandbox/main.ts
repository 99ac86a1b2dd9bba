import { matchingAlone, nodejsOrderBook, wholeEngine, type Contestant } from './engines';
import { fanOut } from './fan-out';
import { openingBook, trading } from './operations';
import { ordersPerSecond } from './orders';
import { atRest } from './start';

/** How fast the sandbox is, beside nodejs-order-book in the same run. Only ratios of one run mean something. */

const ROUNDS = 5;
const DEPTH = 10_000;
const OPERATIONS = 60_000;

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const thousands = (perSecond: number): string => `${(perSecond / 1_000).toFixed(1)}k/s`.padStart(10);

function engineRound(create: () => Contestant, round: number): { perSecond: number; trades: number } {
	globalThis.gc?.();
	const engine = create();
	for (const operation of openingBook(DEPTH)) engine.take(operation);
	const operations = trading(OPERATIONS, 1 + round);
	const started = process.cpuUsage();
	for (const operation of operations) engine.take(operation);
	const { user, system } = process.cpuUsage(started);
	return { perSecond: (OPERATIONS / (user + system)) * 1_000_000, trades: engine.trades() };
}

function engines(): void {
	const contestants = {
		'matching, exact integers': matchingAlone,
		'nodejs-order-book': nodejsOrderBook,
		'whole engine with ledger': wholeEngine,
	};
	const results = Object.entries(contestants).map(([name, create]) => ({
		name,
		create,
		speeds: [] as number[],
		trades: 0,
	}));
	for (const { create } of results) engineRound(create, 0);
	for (let round = 0; round < ROUNDS; round++) {
		for (const result of results) {
			const { perSecond, trades } = engineRound(result.create, round);
			result.speeds.push(perSecond);
			result.trades = trades;
		}
	}
	console.log(
		`Engines, book depth ${DEPTH}, ${OPERATIONS} operations, per second of processor time, median of ${ROUNDS} interleaved rounds`,
	);
	const peer = median(results[1]?.speeds ?? [1]);
	for (const { name, speeds, trades } of results) {
		const speed = median(speeds);
		console.log(
			`  ${name.padEnd(28)} ${thousands(speed)}  ${(speed / peer).toFixed(2)}x  (${trades} trades in the last round)`,
		);
	}
}

async function server(): Promise<void> {
	const speeds: Record<'memory' | 'durable', number[]> = { memory: [], durable: [] };
	for (let round = 0; round < ROUNDS; round++) {
		for (const kind of ['memory', 'durable'] as const) speeds[kind].push(await ordersPerSecond(kind));
	}
	const [memory, durable] = [median(speeds.memory), median(speeds.durable)];
	console.log(`Orders over HTTP, 50 at a time, book depth ${DEPTH}, median of ${ROUNDS} interleaved rounds`);
	console.log(`  in memory                    ${thousands(memory)}`);
	console.log(`  durable, group commit        ${thousands(durable)}  ${(durable / memory).toFixed(2)}x of in memory`);
}

async function delivery(): Promise<void> {
	const speeds: Record<'sandbox' | 'each', number[]> = { sandbox: [], each: [] };
	for (let round = 0; round < ROUNDS; round++) {
		for (const kind of ['sandbox', 'each'] as const) speeds[kind].push(await fanOut(kind));
	}
	const [ours, each] = [median(speeds.sandbox), median(speeds.each)];
	console.log(`Deliveries to 100 stream clients, median of ${ROUNDS} interleaved rounds`);
	console.log(`  sandbox                      ${thousands(ours)}  ${(ours / each).toFixed(1)}x`);
	console.log(`  JSON.stringify per client    ${thousands(each)}`);
}

async function start(): Promise<void> {
	const starts = [];
	for (let round = 0; round < ROUNDS; round++) starts.push(await atRest());
	console.log(`Start of the command, median of ${ROUNDS}`);
	console.log(
		`  first answered request       ${median(starts.map(({ firstAnswerMs }) => firstAnswerMs)).toFixed(0)} ms`,
	);
	console.log(
		`  memory at rest               ${median(starts.map(({ restingMegabytes }) => restingMegabytes)).toFixed(0)} MB`,
	);
}

/** Each part alone, by name, or all of them. */
async function main(parts: string[]): Promise<void> {
	const all = { engines, server, delivery, start };
	for (const [name, part] of Object.entries(all)) if (parts.length === 0 || parts.includes(name)) await part();
}

void main(process.argv.slice(2));
