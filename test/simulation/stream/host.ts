import {
	createClient,
	isExchangeError,
	type Account,
	type Client,
	type Clock,
	type Consumer,
	type StoredCheckpoint,
	type Stream,
	type StreamEvent,
} from '@partner-exchange/core';
import { createStreamBy, streamPolicy } from '@partner-exchange/core/testing';
import { LAG_MAX } from '../../../packages/core/src/stream/limits';
import type { Random } from '../support/random';
import type { Trace } from '../support/trace';
import { sendCancels, type Sent } from './commands';
import { openLink, type Link, type Surroundings } from './link';
import type { Plant } from './plant';
import { faultyConsumer, type Fault } from './neighbours';
import { watchWallet, type Watched } from './wallet';

/** The acknowledged events covered when a sitting began, and those acknowledged before it first stored. */
export interface Cover {
	before: Cover | undefined;
	sitting: number;
	topics: readonly string[];
	/** The total number of events acknowledged by then. */
	until: number;
}

/** The events one trigger received in all its processes. */
export interface Seen {
	name: string;
	consumer: Pick<Consumer, 'topics' | 'filters' | 'batchMax'>;
	/** When it first subscribed; earlier events must not be delivered as new. */
	beganAt?: number;
	/** When it was first ready; earlier events need not be delivered. */
	readyAt?: number;
	/** A sitting is one subscription of one process. */
	deliveries: { at: number; sitting: number; event: StreamEvent }[];
	/** The stored checkpoint, and how many of the acknowledged events it covers. */
	stored?: StoredCheckpoint;
	covers?: Cover;
	/** What is stored was damaged, so that the stream may refuse it. */
	isBroken: boolean;
	/** The same one store earlier. */
	before?: Pick<Seen, 'stored' | 'covers'>;
	/** By sitting: what the checkpoint covered when it began. */
	sittings: (Cover | undefined)[];
	failures: string[];
	/** When the stream said that the key was refused. */
	refusedAt: number[];
	/** Whether the latest sitting is ready. */
	isReady: boolean;
	/** How often a start was given up. */
	startsFailed: number;
}

/** A process that runs triggers on one stream, dies, and restarts with what it had stored. */
export interface Host {
	start(): void;
	crash(): void;
	stop(): Promise<void>;
	seen: Seen[];
	watched: Watched[];
	sent: Sent[];
	/** Timers that still exist after everything was closed. */
	timers(): number;
}

export interface HostWorld extends Omit<Surroundings, 'lives'> {
	account: Account;
	consumers: Seen['consumer'][];
	/** Misbehaving consumers on the same connection. */
	faulty: readonly Fault[];
	/** The number of wallet triggers, and their intervals. */
	wallets: number;
	pollEveryMs: number;
	/** The time until which it sends commands, if it does. */
	commandsUntil: number;
	/** Whether a position is written to disk only together with the next one. */
	storesLate: boolean;
	/** How long it stores nothing further, as it cannot after each of thousands of events: what comes meanwhile is passed over. */
	storesEveryMs: number;
	/** Whether triggers do not give up where their start fails. */
	owesFromTheStart?: boolean;
	plant: Plant;
	trace: Trace;
}

const RETRY_MS = 5_000;
const COUNTED_EVERY_MS = 1_000;

export function openHost(world: HostWorld): Host {
	const { time, plant } = world;
	const seen = world.consumers.map(newcomer);
	const watched = Array.from({ length: world.wallets }, (): Watched => ({ told: [], runs: [], stored: undefined }));
	const sent: Sent[] = [];
	let life = 0;
	let isStopping = false;
	let stream: Stream | undefined;
	let link: Link | undefined;
	let timers = new Set<object>();

	function start(): void {
		const mine = (life += 1);
		const lives = () => life === mine;
		const chance = world.chance.fork(`life ${mine}`);
		link = openLink({ ...world, chance, lives });
		timers = new Set();
		const clock = clockOf({ ...time, now: () => time.now() + skewMs(world) }, timers, lives);
		const ports = { clock: plant.clock?.(clock) ?? clock, random: chance.next, newId: chance.uuid, send: link.send };
		const client: Client = createClient(world.account, ports);
		stream = createStreamBy({
			...ports,
			account: world.account,
			client: plant.reader?.(client) ?? client,
			openSocket: plant.socket?.(link.openSocket) ?? link.openSocket,
			policy: { ...streamPolicy, ...plant.policy },
		});
		const topics = [...new Set(world.consumers.flatMap((consumer) => consumer.topics))];
		for (const fault of world.faulty) stream.subscribe(faultyConsumer(fault, topics, time));
		for (const [index, seenBy] of seen.entries()) {
			const begin = () => lives() && listenOrTell(seenBy, stream!, mine, chance.fork(seenBy.name));
			if (world.weather().startsApartMs === 0) begin();
			else time.after(index * world.weather().startsApartMs, begin);
		}
		const isRunning = () => lives() && !isStopping;
		for (const wallet of watched)
			watchWallet({ ...world, client, chance: chance.fork('wallet'), lives: isRunning }, wallet);
		const command = plant.command?.(stream.command) ?? stream.command;
		const { exchange } = world.service;
		const commands = { time, chance: chance.fork('commands'), lives: isRunning, exchange, command };
		sendCancels({ ...commands, until: world.commandsUntil }, sent);
	}

	/** Whoever subscribes is told what is wrong, and nothing is thrown. */
	function listenOrTell(consumer: Seen, ...rest: [on: Stream, mine: number, chance: Random]): void {
		try {
			listen(consumer, ...rest);
		} catch {
			consumer.failures.push('subscribing threw');
		}
	}

	function listen(consumer: Seen, on: Stream, mine: number, chance: Random): void {
		const before = consumer.covers;
		let late: Pick<Seen, 'stored' | 'covers'> = { stored: consumer.stored, covers: before };
		let [storedAt, countedAt] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
		const countWaiting = (): void => {
			countedAt = time.now();
			if (subscription.counters().waiting > LAG_MAX * consumer.consumer.topics.length)
				consumer.failures.push('more waits than may');
		};
		const sitting = consumer.sittings.push(consumer.covers) - 1;
		consumer.isReady = false;
		consumer.beganAt ??= time.now();
		const subscription = on.subscribe({
			...consumer.consumer,
			retriesFirstConnection: chance.happens(0.5) || world.owesFromTheStart === true,
			// Storage returns a different object with the same content.
			checkpoint: consumer.stored && (JSON.parse(JSON.stringify(consumer.stored)) as StoredCheckpoint),
			deliver: (plant.take ?? ((take) => take))((events) => {
				if (time.now() - countedAt >= COUNTED_EVERY_MS) countWaiting();
				return take(consumer, events, mine, sitting, chance);
			}),
			onCheckpoint: (positions) => {
				const isBusy = time.now() - storedAt < world.storesEveryMs;
				// Of a topic of which nothing is stored everything would be lost, so its first one is kept in any case.
				if (life !== mine || (isStored(consumer) && (isBusy || isFull(world)))) return;
				storedAt = time.now();
				const current = {
					stored: positions,
					covers: {
						before,
						sitting,
						topics: Object.keys(positions.topics as object),
						until: consumer.deliveries.length,
					},
				};
				consumer.before = { stored: consumer.stored, covers: consumer.covers };
				Object.assign(consumer, world.storesLate && consumer.readyAt !== undefined && late.stored ? late : current);
				late = current;
			},
			onNotice: ({ kind, topic = '', text }) => {
				if (life !== mine) return;
				world.trace.add(time.now(), consumer.name, kind, topic, text);
			},
			onRefused: () => void (life === mine && consumer.refusedAt.push(time.now())),
			// A start that was given up is counted below, where it is tried again.
			onFailed: (error) => void (consumer.isReady && consumer.failures.push(error.message)),
		});
		subscription.ready.then(
			() => {
				if (life !== mine) return;
				consumer.readyAt ??= time.now();
				consumer.isReady = true;
				world.trace.add(time.now(), consumer.name, 'is ready');
			},
			(error: Error) => {
				if (life !== mine) return;
				world.trace.add(time.now(), consumer.name, 'is not ready:', error.message);
				if (!isExchangeError(error, 'invalid_input')) consumer.startsFailed += 1;
				else if (consumer.isBroken) dropStored(consumer);
				else consumer.failures.push(error.message);
				time.after(RETRY_MS, () => life === mine && listen(consumer, on, mine, chance));
			},
		);
	}

	function take(consumer: Seen, events: StreamEvent[], mine: number, sitting: number, chance: Random): Promise<void> {
		return new Promise((resolve, reject) => {
			time.after(chance.exponential(world.weather().hostMs, 5_000), () => {
				if (life !== mine) return;
				if (chance.happens(world.weather().rejection)) return reject(new Error('not now'));
				for (const event of events) {
					consumer.deliveries.push({ at: time.now(), sitting, event });
					world.trace.add(time.now(), consumer.name, event.delivery, event.eventKey, event.stale ? 'stale' : '');
				}
				resolve();
			});
		});
	}

	return {
		seen,
		watched,
		sent,
		start,
		crash: () => {
			life += 1;
			link?.die();
			stream = undefined;
		},
		stop: async () => {
			isStopping = true;
			await stream?.close();
		},
		timers: () => timers.size,
	};
}

/** A person drops what is damaged: nothing from before counts as new then. */
const dropStored = (consumer: Seen): void =>
	void Object.assign(consumer, { stored: undefined, beganAt: undefined, isBroken: false });

const newcomer = (consumer: Seen['consumer'], index: number): Seen => ({
	name: `trigger ${index}`,
	consumer,
	deliveries: [],
	sittings: [],
	failures: [],
	isBroken: false,
	refusedAt: [],
	isReady: false,
	startsFailed: 0,
});

/** Whether something of each topic is stored, without which a topic starts anew. */
const isStored = ({ stored, consumer }: Seen): boolean =>
	Object.keys(stored?.topics ?? {}).length === new Set(consumer.topics).size;

const skewMs = ({ time, weather }: HostWorld): number =>
	weather().clockSteps.reduce((sum, { at, byMs }) => (at <= time.now() ? sum + byMs : sum), 0);

/** Nothing more can be stored for a while; what was stored before remains. */
const isFull = ({ time, weather }: Pick<HostWorld, 'time' | 'weather'>): boolean =>
	weather().fullDisk.some(({ from, to }) => time.now() >= from && time.now() < to);

/** The clock of one process: its timers end with the process. */
const clockOf = (time: Clock, timers: Set<object>, lives: () => boolean): Clock => ({
	now: time.now,
	elapsed: time.elapsed,
	after: (delayMs, action) => {
		const entry = {};
		timers.add(entry);
		const cancel = time.after(delayMs, () => {
			timers.delete(entry);
			if (lives()) action();
		});
		return () => {
			timers.delete(entry);
			cancel();
		};
	},
});
