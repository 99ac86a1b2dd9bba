import { parseArgs } from 'node:util';
import { orderSuite } from './orders/suite';
import { streamSuite } from './stream/suite';
import { replay, type Suite } from './support/suite';

/** Runs simulations by hand: `npm run sim -- --suite orders --seeds 100000`, or one seed with `--seed N --trace`. */

const suites: Readonly<{ [name: string]: Suite }> = { orders: orderSuite, stream: streamSuite };

const { values } = parseArgs({
	options: {
		suite: { type: 'string', default: 'orders' },
		seed: { type: 'string' },
		seeds: { type: 'string', default: '20000' },
		from: { type: 'string', default: '1' },
		plant: { type: 'string' },
		trace: { type: 'boolean', default: false },
	},
});

async function main(): Promise<void> {
	const suite = suites[values.suite];
	if (!suite) throw new Error(`There is no suite ${values.suite}. Known are ${Object.keys(suites).join(', ')}.`);
	if (values.plant !== undefined && !suite.plants.includes(values.plant)) {
		throw new Error(`There is no plant ${values.plant}. Known are ${suite.plants.join(', ')}.`);
	}
	const [first, count] =
		values.seed === undefined ? [Number(values.from), Number(values.seeds)] : [Number(values.seed), 1];
	const began = performance.now();
	let failed = 0;
	for (let seed = first; seed < first + count; seed += 1) {
		const { violations, lines, hash } = await suite.run(seed, { trace: values.trace, plant: values.plant });
		if (values.trace) console.log(lines.join('\n'), `\nhash ${hash}`);
		for (const violation of violations)
			console.log(`seed ${seed}: ${violation}\n  ${replay(values.suite, seed, values.plant)}`);
		if (violations.length > 0) failed += 1;
	}
	const seconds = (performance.now() - began) / 1000;
	console.log(
		`${count} seeds in ${seconds.toFixed(1)} s (${Math.round((count / seconds) * 60)} per minute), ${failed} with violations`,
	);
	process.exitCode = failed > 0 ? 1 : 0;
}

void main();
