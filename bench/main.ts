import { areas } from './areas';
import type { Area } from './area';
import { compare } from './compare';
import { sampleOf } from './processes';
import { listenAll } from './areas/sandbox/fan-out';
import { placeOrders } from './areas/sandbox/load';

/** The bench as one program, which also plays its servers and its contestants. */

function areaOf(id: string): Area {
	const area = areas[id];
	if (!area) throw new Error(`There is no area ${id}. The areas are ${Object.keys(areas).join(', ')}.`);
	return area;
}

async function sample([area, name, size, address]: string[]): Promise<void> {
	const contestant = areaOf(area!).contestants[name!];
	if (!contestant) throw new Error(`The area ${area} has no contestant ${name}`);
	const sample = await contestant.run(Number(size), address ?? '');
	process.stdout.write(`${JSON.stringify(sample)}\n`, () => process.exit());
}

async function serve([area, size]: string[]): Promise<void> {
	process.stdout.write(`${await areaOf(area!).serve!(Number(size))}\n`);
}

/** Each contestant of ours in some areas, on as little as shows that it works. */
async function smoke(ids: string[]): Promise<void> {
	for (const [index, id] of ids.entries()) {
		const area = areaOf(id);
		const address = area.serve ? await area.serve(area.smoke) : '';
		const all = Object.entries(area.contestants).filter(([, { peer }]) => peer === undefined);
		// The steps of a curve do the same thing more often.
		for (const [name, contestant] of area.curve === undefined ? all : all.slice(0, 1)) {
			// The contestants of the first area are started as a run starts all; others work here, because starting takes longer.
			const { items } = await (index === 0 || area.isApart
				? sampleOf(process.argv[1]!, id, name, area.smoke, address)
				: contestant.run(area.smoke, address));
			process.stdout.write(`${id}: ${name} ${items > 0 ? 'ran' : 'did nothing'}\n`);
		}
	}
	process.exit();
}

const roles: Record<string, (argv: string[]) => Promise<void>> = {
	sample,
	serve,
	smoke,
	load: placeOrders,
	listen: listenAll,
	compare: (argv) => compare(process.argv[1]!, argv),
};

async function main([role = '', ...argv]: string[]): Promise<void> {
	const play = roles[role];
	if (!play) throw new Error(`There is no role ${role}. Start the bench with npm run bench.`);
	return play(argv);
}

main(process.argv.slice(2)).catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
	process.exit(1);
});
