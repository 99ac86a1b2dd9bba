import { patchedSuites } from '../support/patched';
import type { Report, Suite } from '../support/suite';
import { random } from '../support/random';
import { SIMULATION_BEGINS, virtualTime } from '../support/time';
import { trace } from '../support/trace';
import { openHost } from './host';
import { liveOn, QUIET_MS } from './liveness';
import { FRESH_LIFE, judge, OTHER_LIFE } from './oracle';
import { plants, type Plant } from './plants';
import { newRecord } from './record';
import { FIRST_ADDRESS, openService, SECOND_ADDRESS } from './service';
import { tell } from './story';
import { drawWeather } from './weather';

/** Orders placed by the client as shipped, on the exchange as shipped, under every kind of fault. */
export const orderSuite: Suite = {
	plants,
	layers: [],
	run: (seed, { trace: traced = false, plant: name } = {}) => {
		const plant: Plant = name === undefined ? {} : plants[name]!;
		if (!plant.patch) return live(seed, traced, plant);
		return patchedOf(name!, plant.patch).then((suite) => suite.run(seed, { trace: traced }));
	},
};

const patchedOf = patchedSuites('test/simulation/orders/suite.ts', 'orderSuite');

async function live(seed: number, traced: boolean, plant: Plant): Promise<Report> {
	const chance = random(seed);
	const time = virtualTime();
	const weather = drawWeather(chance.fork('weather'));
	const record = newRecord(trace(SIMULATION_BEGINS, traced));
	const service = openService(seed, weather, time);
	const elsewhere = openService(seed ^ 0x5eed, weather, time);
	const services = new Map([
		[FIRST_ADDRESS, service],
		[SECOND_ADDRESS, elsewhere],
	]);
	const keepsJournal = chance.happens(0.5);
	let up = true;
	const world = {
		time,
		chance: chance.fork('network'),
		weather,
		services,
		record,
		lives: (life: number) => up && life === host.life,
		keepsJournal,
		plant,
	};
	const host = openHost(world);
	// Another process of the same host that never crashes: it shares only the business keys.
	const other = openHost({ ...world, lives: (life: number) => life === OTHER_LIFE, keepsJournal: false }, OTHER_LIFE);
	const fresh = openHost({ ...world, lives: (life: number) => life === FRESH_LIFE, keepsJournal: false }, FRESH_LIFE);
	for (const { at, downMs } of weather.crashes) {
		time.at(at, () => void (up = false));
		time.at(at + downMs, () => void (up = true));
	}
	if (weather.rotatesAt !== undefined)
		time.at(weather.rotatesAt, () => services.forEach((service) => service.rotateKey()));
	time.at(weather.healsAt, () => services.forEach((service) => service.heal()));
	const { endsAt, begun } = tell({
		time,
		chance: chance.fork('story'),
		weather,
		host,
		other,
		fresh,
		keepsJournal,
		isUp: () => up,
		plant,
		record,
	});
	await time.run(endsAt + QUIET_MS);
	host.move(false);
	host.useNewKey();
	await liveOn({ time, host, weather, service, record, begun: begun() });
	judge({
		record,
		orders: [...services.values()].flatMap((service) => service.orders()),
		ordersAt: (address) => services.get(address)!.orders(),
		keepsJournal,
		lastLife: host.life,
		now: time.now(),
		weather,
	});
	return { violations: [...record.violations], hash: record.trace.hash(), lines: record.trace.lines() };
}
