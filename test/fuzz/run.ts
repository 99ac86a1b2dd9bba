import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { sandboxTargets, withSandbox } from './sandbox';
import { fuzz } from './suite';
import { targets } from './targets';

/**
 * Fuzzes every parser on request: `npm run fuzz -- --seconds 100 --seed 7 --only frames`. Bounded in time, and
 * repeatable.
 */

const { values } = parseArgs({
	options: {
		seconds: { type: 'string', default: '60' },
		seed: { type: 'string', default: String(randomInt(2 ** 31)) },
		only: { type: 'string', default: '' },
		help: { type: 'boolean', default: false },
	},
});

const USAGE = `npm run fuzz -- [--seconds 60] [--seed N] [--only part of a name]
Gives every parser hostile input until the time is over, and prints what repeats a finding.`;
/** Runs of the cheapest target per round. */
const ROUND = 200;

async function main(): Promise<void> {
	if (values.help) return console.log(USAGE);
	const all = [...targets, ...sandboxTargets].filter(({ name }) => name.includes(values.only));
	if (all.length === 0) throw new Error(`There is no target with ${values.only} in its name.`);
	const ends = performance.now() + Number(values.seconds) * 1000;
	const runs = new Map<string, number>();
	let matches = 0;
	console.log(`seed ${values.seed}, ${values.seconds} seconds`);
	for (let round = 0; performance.now() < ends && matches === 0; round += 1) {
		for (const target of all) {
			const count = Math.max(2, Math.round(ROUND / target.cost));
			const finding = await fuzz(target, Number(values.seed) + round, count);
			runs.set(target.name, (runs.get(target.name) ?? 0) + count);
			if (finding) {
				matches += 1;
				console.log(`\n${finding.target}: keep ${finding.kept} in test/fuzz/suite.ts\n${finding.report}`);
			}
			if (performance.now() >= ends) break;
		}
	}
	for (const [name, count] of runs) console.log(`${String(count).padStart(9)}  ${name}`);
	console.log(`${matches} findings`);
	process.exitCode = matches > 0 ? 1 : 0;
}

void withSandbox(main);
