import { isExchangeError } from '@partner-exchange/core';
import { hasGaps } from './dialect';
import type { Report, Suite } from '../support/suite';
import { random } from '../support/random';
import { SIMULATION_BEGINS, virtualTime } from '../support/time';
import { trace } from '../support/trace';
import { openHost } from './host';
import { judge, OTHER_LIFE } from './oracle';
import { plants, type Plant } from './plants';
import { newRecord } from './record';
import { openService } from './service';
import { tell } from './story';
import { drawWeather } from './weather';

/** After everything was asked and everything heals, the longest call and the last held-up request have ended. */
const QUIET_MS = 300_000;

/** Orders placed through every kind of trouble, each by the client that ships, on the exchange that ships. */
export const orderSuite: Suite = {
	plants: Object.keys(plants),
	run: (seed, { trace: traced = false, plant } = {}) =>
		live(seed, traced, plant === undefined ? {} : plantNamed(plant)),
};

async function live(seed: number, traced: boolean, plant: Plant): Promise<Report> {
	const chance = random(seed);
	const time = virtualTime();
	const weather = drawWeather(chance.fork('weather'));
	const record = newRecord(trace(SIMULATION_BEGINS, traced));
	const service = openService(seed, weather, time);
	const keepsJournal = chance.happens(0.5);
	let up = true;
	const world = {
		time,
		chance: chance.fork('network'),
		weather,
		service,
		record,
		lives: (life: number) => up && life === host.life,
		keepsJournal,
		plant,
	};
	const host = openHost(world);
	// Another process of the same host that never dies: it shares the business keys and nothing else.
	const other = openHost({ ...world, lives: (life: number) => life === OTHER_LIFE, keepsJournal: false }, OTHER_LIFE);
	for (const { at, downMs } of weather.crashes) {
		time.at(at, () => void (up = false));
		time.at(at + downMs, () => void (up = true));
	}
	if (weather.rotatesAt !== undefined) time.at(weather.rotatesAt, () => service.rotateKey());
	time.at(weather.healsAt, () => service.heal());
	const { endsAt, begun } = tell({
		time,
		chance: chance.fork('story'),
		weather,
		host,
		other,
		keepsJournal,
		isUp: () => up,
	});
	await time.run(endsAt + QUIET_MS);
	await settleAll();
	await resolveAll();
	judge({
		record,
		orders: service.orders(),
		keepsJournal,
		lastLife: host.life,
		now: time.now(),
		listLagMs: weather.listLagMs,
	});
	return { violations: [...record.violations], hash: record.trace.hash(), lines: record.trace.lines() };

	/** When faults have stopped, everything that was ever begun comes to an end that is not unknown. */
	async function settleAll(): Promise<void> {
		host.useNewKey();
		for (const order of begun()) {
			const claim = host.run({ ...order, repeated: true, abortAfterMs: undefined });
			void claim.then(({ is, text }) => {
				// Where the name was used for something else as well, nobody can tell what became of the first.
				if (is === 'unknown' && !hasGaps(weather.dialect) && !text.includes('"cause":"conflict"'))
					record.violate(`${order.intent} never settles: ${text}`);
			});
			await time.run(time.now() + QUIET_MS);
		}
	}

	/** At the end of time, resolving tells the truth about everything that was ever sent. */
	async function resolveAll(): Promise<void> {
		host.useNewKey();
		const sent = record.calls.filter(
			({ kind, sends }) => kind === 'create' && sends[0]?.bytes.startsWith('[') === false,
		);
		const names = new Set(
			sent.map(
				({ sends }) =>
					(JSON.parse(sends[0]!.bytes.slice(sends[0]!.bytes.indexOf(' '))) as { client_order_id: string })
						.client_order_id,
			),
		);
		for (const name of names) {
			const exists = service.orders().some(({ clientOrderId }) => clientOrderId === name);
			void host.resolve(name).then(
				({ outcome }) =>
					outcome === (exists ? 'accepted' : 'not_found') ||
					record.violate(`resolving ${name} says ${String(outcome)}`),
				(error: Error) => {
					// A service whose lists have gaps lets nobody know, and the client says so.
					if (isExchangeError(error, 'limit_reached') && hasGaps(weather.dialect)) return;
					record.violate(`resolving ${name} fails: ${error.message}`);
				},
			);
		}
		await time.run(time.now() + 60_000);
	}
}

const plantNamed = (name: string): Plant => plants[name as keyof typeof plants];
