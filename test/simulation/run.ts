import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lockSuite } from './locks/suite';
import { orderSuite } from './orders/suite';
import { mechanisms } from './stream/mechanisms';
import { streamSuite } from './stream/suite';
import { noticedAt } from './support/seeds';
import { replay, type Report, type RunOptions, type Suite } from './support/suite';

const suites: Readonly<{ [name: string]: Suite }> = { orders: orderSuite, locks: lockSuite, stream: streamSuite };
const PROGRESS_EVERY_MS = 5_000;
/** The violations of one run usually have one cause. */
const SHOWN_MAX = 5;
const SEEDS_MAX = 2 ** 32;

const help = `Lives through simulations by hand. Every seed is one life of the client that ships, on virtual time.

  npm run sim -- --suite orders --seeds 100000    many seeds
  npm run sim -- --suite orders --seed 7 --trace  one seed, with everything that happened
  npm run sim -- --suite stream --layer dense --events 100000000 --resume volume.json
                                                  a hundred million events, some of it today
  npm run sim -- --plant refusalIsFinalInDoubt    with a bug planted, which should be noticed

  --suite NAME    ${Object.keys(suites).join(' or ')} (orders)
  --seeds COUNT   how many seeds (20000)
  --events COUNT  as many seeds as it takes until so many events were handed over, instead (stream)
  --from SEED     the first of them (1)
  --seed SEED     this one alone
  --plant NAME    a bug to plant; which there are: --plant list; all: a life that notices each, as a table
  --layer NAME    one layer in every seed; which there are: --layer list (stream)
  --weather JSON  weather to have in every seed, such as '{"readFailure":0.35,"lists":{"pageMax":10}}' (stream)
  --resume FILE   keeps in FILE how far it came, and goes on from there when it is started again
  --trace         prints what happened
  --help          prints this`;

const { values } = parseArgs({
	options: {
		suite: { type: 'string', default: 'orders' },
		seed: { type: 'string' },
		seeds: { type: 'string', default: '20000' },
		events: { type: 'string' },
		from: { type: 'string', default: '1' },
		plant: { type: 'string' },
		layer: { type: 'string' },
		weather: { type: 'string' },
		resume: { type: 'string' },
		trace: { type: 'boolean', default: false },
		help: { type: 'boolean', default: false },
	},
});

/** The settings of a run; a resumed run must have the same. */
const played = { suite: values.suite, layer: values.layer };

/** Ctrl-C ends the run and prints the counts so far. */
let isStopped = false;
process.once('SIGINT', () => (isStopped = true));

/** The progress of a resumable run. */
interface Progress {
	suite: string;
	layer?: string;
	first: number;
	next: number;
	failed: number;
	/** Events delivered to consumers. */
	events: number;
}

async function main(): Promise<void> {
	if (values.help) return console.log(help);
	const suite = suites[values.suite];
	if (!suite) throw new Error(`There is no suite ${values.suite}. Known are ${Object.keys(suites).join(', ')}.`);
	const stored = { plant: Object.keys(suite.plants), layer: suite.layers };
	for (const name of ['plant', 'layer'] as const)
		if (values[name] === 'list') return console.log(stored[name].join('\n'));
	if (values.plant === 'all') return tableOfPlants(suite, numberIn('seeds'));
	const [plant, layer] = [oneOf('plant', stored.plant), oneOf('layer', stored.layer)];
	const weather = values.weather === undefined ? undefined : (JSON.parse(values.weather) as RunOptions['weather']);
	const [first, count] = values.seed === undefined ? [numberIn('from'), seedsIn()] : [numberIn('seed'), 1];
	if (values.events !== undefined && suite === orderSuite) throw new Error('Only lives of the stream count events.');
	const range = { first, end: first + count, eventsMax: values.events === undefined ? Infinity : numberIn('events') };
	const failed = await runSeeds(suite, range, { plant, layer, weather, trace: values.trace });
	process.exitCode = failed > 0 ? 1 : 0;
}

/** The first life that notices each plant, and what the plant breaks. A life that is written down and is later costs a search. */
async function tableOfPlants(suite: Suite, seeds: number): Promise<void> {
	const kept: Readonly<Record<string, readonly [string, number]>> = mechanisms;
	for (const [plant, { seed, layer = 'as drawn' }] of Object.entries(suite.plants)) {
		const life = await noticedAt(suite, plant, seeds).catch((error: Error) => error.message);
		const isNew = seed !== undefined && life !== seed ? ` (${seed} is written down)` : '';
		console.log(`| \`${plant}\` | ${layer} | ${life ?? `not in ${seeds}`}${isNew} | ${kept[plant]?.[0] ?? ''} |`);
	}
}

function oneOf(name: 'plant' | 'layer', earlier: readonly string[]): string | undefined {
	const value = values[name];
	if (value === undefined || earlier.includes(value)) return value;
	throw new Error(`There is no ${name} ${value}. Known are ${earlier.join(', ') || 'none'}.`);
}

function numberIn(name: 'from' | 'seeds' | 'seed' | 'events'): number {
	const value = Number(values[name]);
	if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1 up.`);
	return value;
}

const seedsIn = (): number => (values.events === undefined ? numberIn('seeds') : SEEDS_MAX);

interface Range {
	first: number;
	end: number;
	eventsMax: number;
}

async function runSeeds(suite: Suite, { first, end, eventsMax }: Range, options: RunOptions): Promise<number> {
	const progress = progressOf(first);
	const [from, began] = [progress.next, performance.now()];
	const counts = () =>
		`${progress.next - first} seeds, ${progress.events} events, ${rate(progress.next - from, began)}, ` +
		`${progress.failed} with violations`;
	let shownAt = began;
	while (progress.next < end && progress.events < eventsMax && !isStopped) {
		const report = await suite.run(progress.next, options);
		show(report, progress.next);
		progress.next += 1;
		progress.events += report.events ?? 0;
		if (report.violations.length > 0) progress.failed += 1;
		if (performance.now() - shownAt < PROGRESS_EVERY_MS) continue;
		shownAt = performance.now();
		keep(progress);
		console.error(counts());
	}
	keep(progress);
	console.log(counts());
	return progress.failed;
}

function show({ violations, lines, hash }: Report, seed: number): void {
	if (values.trace) console.log(lines.join('\n'), `\nhash ${hash}`);
	for (const violation of violations.slice(0, SHOWN_MAX)) console.log(`seed ${seed}: ${violation}`);
	if (violations.length > SHOWN_MAX) console.log(`seed ${seed}: and ${violations.length - SHOWN_MAX} more`);
	if (violations.length > 0) console.log(`  ${replay(values.suite, seed, values)}`);
}

const rate = (seeds: number, began: number): string =>
	`${Math.round((seeds / Math.max(1, performance.now() - began)) * 60_000)} per minute`;

function progressOf(first: number): Progress {
	const none: Progress = { ...played, first, next: first, failed: 0, events: 0 };
	if (values.resume === undefined || !existsSync(values.resume)) return none;
	const stored = JSON.parse(readFileSync(values.resume, 'utf8')) as Progress;
	if (stored.suite !== played.suite || stored.layer !== played.layer || stored.first !== first)
		throw new Error(
			`${values.resume} is of suite ${stored.suite}, layer ${stored.layer ?? 'any'}, from seed ${stored.first}.`,
		);
	return stored;
}

function keep(progress: Progress): void {
	if (values.resume !== undefined) writeFileSync(values.resume, JSON.stringify(progress));
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 2;
});
