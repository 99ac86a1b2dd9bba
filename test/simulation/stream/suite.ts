import { streamPolicy, type Account } from '@partner-exchange/core';
import { happeningsIn } from '../../../packages/core/src/stream/happening';
import { random, type Random } from '../support/random';
import type { Report, Suite } from '../support/suite';
import { SIMULATION_BEGINS, virtualTime } from '../support/time';
import { trace } from '../support/trace';
import { openHost, type Seen } from './host';
import { layerNames, layers, type Layer } from './layers';
import { openMarket, TRADES } from './market';
import { judge, judgeStored, type Heard } from './oracle';
import { plants, type Plant } from './plants';
import { openService } from './service';
import { fair, type Weather } from './weather';

const SECOND = 1000;
/** The market goes on for a while in calm weather, and then everything has time to arrive. */
const CALM_MS = 20 * SECOND;
const CALM_AFTER_MS = 80 * SECOND;

const account: Account = {
	environment: 'sandbox',
	baseUrl: 'http://127.0.0.1:4010/v1',
	wsUrl: 'ws://127.0.0.1:4010/v1/ws',
	apiKey: 'CANARY-key',
};

/** Fills, orders and trades through every kind of trouble, to triggers that are slow, reject and die. */
export const streamSuite: Suite = {
	plants: Object.keys(plants),
	run: (seed, { trace: traced = false, plant } = {}) => {
		const planted: Plant = plant === undefined ? {} : plants[plant as keyof typeof plants];
		// Every second seed is lived through as it ships, the others with one layer alone.
		const layer = planted.layer ?? (seed % 2 === 0 ? 'all' : layerNames[((seed - 1) / 2) % layerNames.length]!);
		return live(seed, layers[layer], planted, traced, layer);
	},
};

async function live(seed: number, layer: Layer, plant: Plant, traced: boolean, name: string): Promise<Report> {
	const chance = random(seed);
	const time = virtualTime();
	const log = trace(SIMULATION_BEGINS, traced);
	const drawn = layer.weather(chance.fork('weather'));
	const healed: Weather = { ...fair, sparse: drawn.sparse, replayed: drawn.replayed, tellsHead: drawn.tellsHead };
	const weather = () => (time.now() < drawn.healsAt ? drawn : healed);
	const service = openService(time, chance.fork('service'), weather);
	const violations: string[] = [];
	const heard: Heard[] = [];
	log.add(time.now(), 'layer', name, JSON.stringify(drawn));
	const calmFrom = drawn.healsAt + CALM_AFTER_MS;
	const truth = openMarket(time, chance.fork('market'), service, calmFrom + CALM_MS);
	const host = openHost({
		time,
		chance: chance.fork('host'),
		weather,
		service,
		account: { ...account, names: layer.names },
		consumers: drawConsumers(chance.fork('consumers')),
		storesLate: chance.happens(0.5),
		plant: { ...plant, policy: { ...streamPolicy, knownInARow: 3, ...layer.policy, ...plant.policy } },
		trace: log,
		connecting: () => log.add(time.now(), 'connects'),
		heard: (text) => note(heard, text),
	});
	const restart = (): void => {
		if (drawn.restartsEveryMs === undefined || time.now() > drawn.healsAt) return;
		service.restart();
		log.add(time.now(), 'restarts');
		time.after(chance.exponential(drawn.restartsEveryMs, drawn.restartsEveryMs * 3), restart);
	};
	if (drawn.restartsEveryMs !== undefined) time.after(drawn.restartsEveryMs, restart);
	for (const { at, downMs } of drawn.crashes) {
		time.at(at, () => {
			host.crash();
			log.add(time.now(), 'crashes');
			// Numbers that begin anew in the same epoch cannot be compared.
			if (!drawn.forgetsEpoch) violations.push(...host.seen.flatMap((one) => judgeStored(one, heard)));
		});
		time.at(at + downMs, host.start);
	}
	host.start();
	await time.run(calmFrom + CALM_MS + layer.lateMs);
	violations.push(
		...judge({
			truth,
			seen: host.seen,
			healsAt: drawn.healsAt,
			lateMs: layer.lateMs,
			calmMs: layer.calmMs(drawn),
			calmFrom,
			now: time.now(),
		}),
	);
	void host.stop();
	await time.run(time.now() + 10 * SECOND);
	if (host.timers() > 0) violations.push(`${host.timers()} timers are left after the end`);
	if (service.sessions() > 0) violations.push(`${service.sessions()} connections are left after the end`);
	return { violations: violations.map((violation) => `${name}: ${violation}`), hash: log.hash(), lines: log.lines() };
}

function drawConsumers(chance: Random): Seen['consumer'][] {
	const all: Seen['consumer'][] = [
		{ topics: ['user.orders', 'user.fills'], batchMax: chance.pick([1, 10, 100]) },
		{ topics: ['user.orders'], filters: { statuses: ['filled', 'cancelled', 'rejected'] } },
		{ topics: [TRADES, 'user.fills'], batchMax: 10 },
	];
	const first = chance.below(all.length);
	return [...all.slice(first), ...all.slice(0, first)].slice(0, 1 + chance.below(all.length));
}

function note(heard: Heard[], text: string): void {
	if (!text.includes('"epoch"')) return;
	const message = JSON.parse(text) as {
		type: string;
		topic: string;
		epoch: string;
		seq: number;
		ts: string;
		data: unknown;
	};
	if (message.type !== 'data' || message.topic === 'user.orders') return;
	const [happening] = happeningsIn(message.topic, message.data, message.ts, '');
	// One that was overtaken lies before a position the moment it arrives; readings are there for it.
	const isOvertaken = heard.some(
		(other) => other.topic === message.topic && other.epoch === message.epoch && other.seq > message.seq,
	);
	if (isOvertaken) return;
	heard.push({
		at: Date.parse(message.ts),
		topic: message.topic,
		epoch: message.epoch,
		seq: message.seq,
		key: happening!.key,
	});
}
