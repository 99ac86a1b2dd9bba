import { SIMULATION_BEGINS, virtualTime } from '../support/time';
import { random } from '../support/random';
import { trace } from '../support/trace';
import { openHost } from './host';
import { API_KEY, openService, ORIGIN } from './service';
import { plainLists } from './lists';
import { tell } from './story';
import { BOOK, TRADES, watchTruth } from './truth';
import { fair } from './weather';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOURS = 6;
const ACTION_EVERY_MS = 30_000;
/** Most of it is open orders, of which up to 2,000 are stored. */
const STORED_LENGTH_MAX = 250_000;
const LONG_MS = 3_600_000;

describe('six hours of the stream', () => {
	it(
		'keeps nothing that grows: timers, connections and what is stored stay as they were after the first hours',
		async () => {
			const time = virtualTime();
			const chance = random(1);
			const weather = {
				...fair,
				lists: { ...plainLists, pageMax: 25 },
				breaksEveryMs: 15 * MINUTE_MS,
				hangsEveryMs: 60 * MINUTE_MS,
				healsAt: Number.POSITIVE_INFINITY,
			};
			const service = openService({ seed: 1, time, chance, drawn: weather, weather: () => weather });
			const { exchange } = service;
			const truth = watchTruth(exchange, time.now);
			const endsAt = SIMULATION_BEGINS + HOURS * HOUR_MS;
			tell({
				time,
				chance: chance.fork('story'),
				exchange,
				everyMs: () => ACTION_EVERY_MS,
				endsAt,
				note: () => undefined,
			});
			const nothing = () => undefined;
			const host = openHost({
				time,
				chance: chance.fork('host'),
				weather: () => weather,
				service,
				account: {
					environment: 'sandbox',
					baseUrl: `http://${ORIGIN}/v1`,
					wsUrl: `ws://${ORIGIN}/v1/ws`,
					apiKey: API_KEY,
				},
				consumers: [{ topics: ['user.orders', 'user.fills', TRADES] }, { topics: [BOOK] }],
				faulty: [],
				wallets: 1,
				pollEveryMs: MINUTE_MS,
				commandsUntil: 0,
				storesLate: false,
				storesEveryMs: 0,
				plant: { policy: { knownInARow: 10 } },
				trace: trace(SIMULATION_BEGINS, false),
				note: nothing,
				overlooked: nothing,
				...{ said: nothing, heard: nothing, connects: nothing, gaveUp: nothing },
			});
			host.start();
			const deliveries = new Set<string>();
			const sizes: { timers: number; stored: number; sessions: number }[] = [];
			for (let hour = 1; hour <= HOURS; hour += 1) {
				await time.run(SIMULATION_BEGINS + hour * HOUR_MS);
				if (hour % 2 === 0) service.restart();
				for (const consumer of host.seen)
					for (const { event } of consumer.deliveries.splice(0)) deliveries.add(event.eventKey);
				const stored = host.seen.map((consumer) => JSON.stringify(consumer.stored).length);
				sizes.push({ timers: host.timers(), stored: Math.max(...stored), sessions: service.sessions() });
			}
			const most = (name: 'timers' | 'stored', from: number, to: number) =>
				Math.max(...sizes.slice(from, to).map((size) => size[name]));
			expect(most('timers', HOURS / 2, HOURS)).toBeLessThanOrEqual(most('timers', 0, HOURS / 2) + 2);
			expect(most('stored', HOURS / 2, HOURS)).toBeLessThan(STORED_LENGTH_MAX);
			expect(sizes.every(({ sessions }) => sessions <= 2)).toBe(true);
			const settledBefore = endsAt - 2 * MINUTE_MS;
			const settled = truth.fills().filter(({ at }) => at < settledBefore);
			expect(settled.filter(({ id, orderId }) => !deliveries.has(`fill:${id}:${orderId}`))).toEqual([]);
			expect(settled.length).toBeGreaterThan(100);
		},
		LONG_MS,
	);
});
