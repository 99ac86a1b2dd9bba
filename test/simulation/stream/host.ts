import { streamPolicy } from '../../../packages/core/src/stream/policy';
import {
	createClient,
	createStream,
	type Account,
	type Consumer,
	type StoredPositions,
	type Stream,
	type StreamEvent,
} from '@partner-exchange/core';
import type { Random } from '../support/random';
import type { Trace } from '../support/trace';
import { openLink, type Link, type Surroundings } from './link';
import type { Plant } from './plants';

/** What was covered when a sitting began, and what it took until it stored. */
export interface Cover {
	before: Cover | undefined;
	sitting: number;
	topics: readonly string[];
	/** How many had been taken by then, in all. */
	until: number;
}

/** What one trigger saw in all its lives. */
export interface Seen {
	name: string;
	consumer: Pick<Consumer, 'topics' | 'filters' | 'batchMax'>;
	/** When it was first ready; what happened before is not owed. */
	readyAt?: number;
	/** A sitting is one subscription within one life. */
	taken: { at: number; sitting: number; event: StreamEvent }[];
	/** What is on disk, and what of what was taken it covers. */
	stored?: StoredPositions;
	covers?: Cover;
	/** By sitting: what was covered when it began. */
	sittings: (Cover | undefined)[];
	failures: string[];
	/** Whether the latest sitting is ready. */
	isReady: boolean;
}

/** A process that runs triggers on one stream, dies and comes back with what it had stored. */
export interface Host {
	start(): void;
	crash(): void;
	stop(): Promise<void>;
	seen: Seen[];
	/** What it still holds on to: timers, after everything was closed. */
	timers(): number;
}

export interface HostWorld extends Omit<Surroundings, 'lives'> {
	account: Account;
	consumers: Seen['consumer'][];
	/** Whether a position reaches the disk only together with the next one. */
	storesLate: boolean;
	plant: Plant;
	trace: Trace;
}

const RETRY_MS = 5_000;

export function openHost(world: HostWorld): Host {
	const { time, plant } = world;
	const seen: Seen[] = world.consumers.map((consumer, index) => ({
		name: `trigger ${index}`,
		consumer,
		taken: [],
		sittings: [],
		failures: [],
		isReady: false,
	}));
	let life = 0;
	let stream: Stream | undefined;
	let link: Link | undefined;
	let timers = new Set<object>();

	/** Time as one life knows it: it ends with it. */
	function clockOf(mine: number) {
		const own = (timers = new Set<object>());
		const clock = {
			now: time.now,
			after: (delayMs: number, action: () => void) => {
				const entry = {};
				own.add(entry);
				const cancel = time.after(delayMs, () => {
					own.delete(entry);
					if (life === mine) action();
				});
				return () => {
					own.delete(entry);
					cancel();
				};
			},
		};
		return plant.clock?.(clock) ?? clock;
	}

	function start(): void {
		const mine = (life += 1);
		const lives = () => life === mine;
		const chance = world.chance.fork(`life ${mine}`);
		link = openLink({ ...world, chance, lives });
		const ports = { clock: clockOf(mine), random: chance.next, newId: chance.uuid, send: link.send };
		const client = createClient(world.account, ports);
		stream = createStream({
			...ports,
			account: world.account,
			client,
			openSocket: plant.socket?.(link.openSocket) ?? link.openSocket,
			policy: { ...streamPolicy, ...plant.policy },
		});
		for (const one of seen) listen(one, stream, mine, chance.fork(one.name));
	}

	function listen(one: Seen, on: Stream, mine: number, chance: Random): void {
		const before = one.covers;
		let late: Pick<Seen, 'stored' | 'covers'> = { stored: one.stored, covers: before };
		const sitting = one.sittings.push(one.covers) - 1;
		one.isReady = false;
		const subscription = on.subscribe({
			...one.consumer,
			patient: chance.happens(0.5),
			// What is on disk comes back as another object.
			positions: one.stored && (JSON.parse(JSON.stringify(one.stored)) as StoredPositions),
			take: (plant.take ?? ((take) => take))((events) => take(one, events, mine, sitting, chance)),
			moved: (positions) => {
				if (life !== mine) return;
				const present = {
					stored: positions,
					covers: { before, sitting, topics: Object.keys(positions.topics as object), until: one.taken.length },
				};
				Object.assign(one, world.storesLate && one.readyAt !== undefined && late.stored ? late : present);
				late = present;
			},
			notice: ({ kind, topic = '', text }) => life === mine && world.trace.add(time.now(), one.name, kind, topic, text),
			failed: (error) => void one.failures.push(error.message),
		});
		subscription.ready.then(
			() => {
				if (life !== mine) return;
				one.readyAt ??= time.now();
				one.isReady = true;
			},
			(error: Error) => {
				if (life === mine) world.trace.add(time.now(), one.name, 'is not ready:', error.message);
				time.after(RETRY_MS, () => life === mine && listen(one, on, mine, chance));
			},
		);
	}

	function take(one: Seen, events: StreamEvent[], mine: number, sitting: number, chance: Random): Promise<void> {
		return new Promise((resolve, reject) => {
			time.after(chance.exponential(world.weather().hostMs, 5_000), () => {
				if (life !== mine) return;
				if (chance.happens(world.weather().rejection)) return reject(new Error('not now'));
				for (const event of events) {
					one.taken.push({ at: time.now(), sitting, event });
					world.trace.add(time.now(), one.name, event.delivery, event.eventKey, String(event.seq));
				}
				resolve();
			});
		});
	}

	return {
		seen,
		start,
		crash: () => {
			life += 1;
			link?.die();
			stream = undefined;
		},
		stop: async () => void (await stream?.close()),
		timers: () => timers.size,
	};
}
