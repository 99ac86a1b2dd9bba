import type { Account } from '@partner-exchange/core';
import { streamPolicy } from '@partner-exchange/core/testing';
import { random, type Random } from '../support/random';
import { patchedSuites } from '../support/patched';
import type { Report, Suite } from '../support/suite';
import { SIMULATION_BEGINS, virtualTime } from '../support/time';
import { trace } from '../support/trace';
import { playBurst } from './bursts';
import { judgeCommands } from './commands';
import { drawConsumers } from './consumers';
import { find } from './generations';
import { openHost } from './host';
import type { Layer } from './layer';
import { calmAfterMs, layerOf, layers, type LayerName } from './layers';
import { judgeConduct, watchConduct } from './oracle/conduct';
import { judgeOrder } from './oracle/order';
import { judgeStart } from './oracle/start';
import { CALM_MS } from './worlds';
import { judgeStored, watchBounds } from './oracle/bounds';
import { judgeNews } from './oracle/news';
import { watchPositions } from './oracle/positions';
import { watchSigns } from './oracle/signs';
import { watchTags } from './oracle/tags';
import { judge } from './oracle/verdict';
import { POLL_EVERY_MS } from './oracle/wallet';
import type { Plant } from './plant';
import { plants } from './plants';
import { API_KEY, openService, ORIGIN } from './service';
import { tell } from './story';
import { strike } from './strikes';
import { watchTruth } from './truth';
import { healed, withForced, type Weather } from './weather';

const SECOND = 1000;
/** The market continues for a while without faults, and then everything has time to arrive. */
const CALM_FOR_MS = 20 * SECOND;
const QUIET_MS = 70 * SECOND;
const ACTION_EVERY_MS = 4 * SECOND;
const CLOSING_MS = 20 * SECOND;
/** By this factor less happens while nobody listens for hours. */
const RARELY = 150;
const LONG_MS = 3_600 * SECOND;

const account: Account = {
	environment: 'sandbox',
	baseUrl: `http://${ORIGIN}/v1`,
	wsUrl: `ws://${ORIGIN}/v1/ws`,
	apiKey: API_KEY,
};

const isAway = ({ crashes }: Weather, now: number): boolean =>
	crashes.some(({ at, downMs }) => downMs > LONG_MS && now > at && now < at + downMs - LONG_MS);

const howMuchIn = ({ flood, bursts }: Weather) => (flood ? 'flood' : bursts.length > 0 ? 'dense' : 'usual');

/**
 * Fills, orders, trades, books and the wallet under every kind of fault, delivered to hosts that are slow, reject and
 * die.
 */
export const streamSuite: Suite = {
	plants,
	layers: Object.keys(layers),
	run: (seed, { trace = false, plant: planted, layer, weather = {} } = {}) => {
		const plant: Plant = planted === undefined ? {} : plants[planted]!;
		if (plant.patch)
			return patchedOf(planted!, plant.patch).then((suite) =>
				suite.run(seed, { trace, layer: layer ?? plant.layer, weather }),
			);
		const name = (layer as LayerName | undefined) ?? plant.layer ?? layerOf(seed);
		return live({ seed, layer: layers[name], plant, isTraced: trace, name, forced: weather });
	},
};

const patchedOf = patchedSuites('test/simulation/stream/suite.ts', 'streamSuite');

function consumersOf(layer: Layer, chance: Random, drawn: Weather): ReturnType<typeof drawConsumers> {
	if (layer.consumers)
		return { consumers: [...layer.consumers], faulty: [...(layer.faulty ?? [])], wallets: layer.wallets ?? 0 };
	return drawConsumers(chance.fork('consumers'), layer.books, howMuchIn(drawn));
}

interface Life {
	seed: number;
	layer: Layer;
	name: string;
	plant: Plant;
	isTraced: boolean;
	/** Faults to add to those drawn from the seed. */
	forced: Readonly<Record<string, unknown>>;
}

async function live({ seed, layer, name, plant, isTraced, forced }: Life): Promise<Report> {
	const chance = random(seed);
	const time = virtualTime();
	const log = trace(SIMULATION_BEGINS, isTraced);
	const note = (...parts: string[]) => log.add(time.now(), ...parts);
	const drawn = withForced(layer.weather(chance.fork('weather')), forced);
	const calm = healed(drawn);
	const weather = () => (time.now() < drawn.healsAt ? drawn : calm);
	note('layer', name, JSON.stringify(drawn));
	const bounds = watchBounds();
	const conduct = watchConduct();
	const request = (url: string, isTooLong: boolean) => bounds.request(time.now(), url, isTooLong);
	const service = openService({ seed, time, chance: chance.fork('service'), drawn, weather, request });
	const truth = watchTruth(service.exchange, time.now, drawn.bookStride);
	const positions = watchPositions();
	const signs = watchSigns();
	// A confirmation that lists no topic may be that of other topics, whose positions it states.
	const tags = watchTags(drawn.tellsHead && drawn.confirms !== 'nothing');
	const noticedAt = layer.waitsForSigns ? signs.after : undefined;
	const violations: string[] = [];
	const lateMs = layer.lateMs(drawn);
	const calmFrom = drawn.healsAt + calmAfterMs(layer, drawn);
	const { exchange } = service;
	const story = tell({
		...{ time, chance: chance.fork('story'), exchange, note },
		everyMs: () => (isAway(drawn, time.now()) ? ACTION_EVERY_MS * RARELY : ACTION_EVERY_MS),
		endsAt: calmFrom + CALM_FOR_MS,
		resting: drawn.resting,
	});
	const host = openHost({
		time,
		chance: chance.fork('host'),
		weather,
		service,
		account: { ...account, names: layer.names },
		...consumersOf(layer, chance, drawn),
		pollEveryMs: POLL_EVERY_MS,
		// Command keys are forgotten after a day, so they could not be judged at the end.
		commandsUntil: chance.happens(0.3) && name !== 'away' ? calmFrom + CALM_FOR_MS : 0,
		owesFromTheStart: layer.owesFromTheStart,
		storesLate: chance.happens(0.5),
		storesEveryMs: howMuchIn(drawn) === 'dense' ? chance.fork('stores').pick([500, 2_000]) : 0,
		plant: { ...plant, policy: { ...streamPolicy, knownInARow: 3, ...layer.policy, ...plant.policy } },
		trace: log,
		note,
		overlooked: (what) => void violations.push(`overlooks ${what}`),
		said: tags.said,
		gaveUp: () => conduct.gaveUp(time.now()),
		connects: (url) => conduct.connects(time.now(), url),
		heard: (text, isReplay, url) => {
			tags.heard(time.now(), text, isReplay, url);
			conduct.heard(time.now(), text, url);
			if (text.startsWith('{"type":"subscribed"')) bounds.confirmed(time.now());
			if (drawn.crashes.length > 0) positions.heard(text);
			if (layer.waitsForSigns) signs.heard(time.now(), text);
		},
	});
	const start = () => {
		bounds.began(time.now());
		host.start();
	};
	strike({ drawn, time, chance: chance.fork('strikes'), service, note });
	if (drawn.flood) story.flood(drawn.flood.at, drawn.flood.trades);
	const playing = { time, chance: chance.fork('bursts'), exchange, note };
	for (const burst of drawn.bursts) playBurst(playing, burst);
	for (const { at, downMs, finds } of drawn.crashes) {
		time.at(at, () => {
			host.crash();
			note('crashes');
			if (drawn.fills !== 'without an id') violations.push(...host.seen.flatMap(positions.judge));
		});
		time.at(at + downMs, () => {
			if (finds) host.seen.forEach((consumer) => find(finds, consumer, chance.fork(`${consumer.name} finds`)));
			start();
		});
	}
	// A trigger added later finds a history that is not new to it.
	const late = chance.fork('start');
	const drawnMs = drawn.crashes.length === 0 && late.happens(0.25) ? late.between(10, 40) * SECOND : 0;
	const startsAfterMs = layer.startsAfterMs ?? drawnMs;
	if (startsAfterMs > 0) time.after(startsAfterMs, start);
	else start();
	await time.run(calmFrom + CALM_FOR_MS + Math.max(lateMs, QUIET_MS));
	const { seen, watched } = host;
	violations.push(
		...judge({
			truth,
			seen,
			watched,
			healsAt: drawn.healsAt,
			lateMs,
			waitsForHealing: layer.waitsForHealing ?? true,
			noticedAt,
			isForgotten: service.isForgotten,
			isLate: service.isLate,
			excusesGaps: drawn.trades === 'one by one',
			owesFromTheStart: layer.owesFromTheStart ?? false,
			calmMs: CALM_MS,
			calmFrom,
			now: time.now(),
		}),
	);
	for (const consumer of seen)
		violations.push(
			...tags.judge(consumer),
			// With a wrong clock and no message showing the service's time, a late first backfill cannot tell.
			...(drawn.clockSteps.some(({ at }) => at > SIMULATION_BEGINS)
				? []
				: judgeNews(consumer, truth, Math.max(drawn.lagMs, drawn.rowLagMs) + (layer.olderMs ?? 0))),
			...judgeStored(consumer, truth),
			...judgeStart(consumer, layer),
			...(layer.isInOrder ? judgeOrder(consumer) : []),
		);
	if (drawn.lists.order === 'newest first' && !drawn.lists.isUnpaged) violations.push(...bounds.judge(seen.length));
	violations.push(...judgeConduct(conduct, { layer, drawn, seen }), ...bounds.judgeMost(layer));
	violations.push(...judgeCommands(host.sent, service.exchange, drawn.crashes));
	void host.stop();
	await time.run(time.now() + CLOSING_MS);
	if (host.timers() > 0) violations.push(`${host.timers()} timers are left after the end`);
	if (service.sessions() > 0) violations.push(`${service.sessions()} connections are left after the end`);
	return {
		violations: violations.map((violation) => `${name}: ${violation}`),
		hash: log.hash(),
		events: seen.reduce((all, { deliveries }) => all + deliveries.length, 0),
		lines: log.lines(),
	};
}
