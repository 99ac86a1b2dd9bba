/** Kills the parts of a stage in turns while fills come in, and tells how long it took to catch up. */
import { until } from '../../support/condition';
import type { Stage } from './stage';

export type Victim = 'reader' | 'broker' | 'consumer' | 'network' | 'disk';

export interface PlayOptions {
	fillsPerKill: number;
	victims: readonly Victim[];
	/** The longest wait for one kill. */
	patienceMs?: number;
	told?: (kill: Kill) => void;
}

export interface Kill {
	victim: Victim;
	/** From the victim's return until an order stood for every fill. */
	lagMs: number;
}

/** Fills that come while a disk is full, and what a broker says of one. */
const AFTER_DISK = 100;
const DISK_IS_FULL = /No space left|enospc|disk resource limit alarm set/i;

/** Longer than RabbitMQ takes to start, and n8n to notice. */
const CATCH_UP_MS = 300_000;

export async function play(stage: Stage, options: PlayOptions): Promise<Kill[]> {
	const { fillsPerKill, victims, patienceMs = CATCH_UP_MS, told: report } = options;
	const kills: Kill[] = [];
	for (const victim of victims) {
		const before = stage.placed().length;
		stage.fills(fillsPerKill);
		// In the middle of the work: something has arrived, something has not.
		const hasActed = (): boolean => stage.placed().length > before;
		await until(hasActed, { timeoutMs: patienceMs, what: 'the consumer to act', ...seenOn(stage) });
		await strike(stage, victim);
		const lagMs = await catchUp(stage, patienceMs);
		kills.push({ victim, lagMs });
		report?.({ victim, lagMs });
		for (const party of [stage.reader, stage.consumer]) party.forget();
	}
	return kills;
}

async function strike(stage: Stage, victim: Victim): Promise<void> {
	const { reader, consumer, broker, network, fills } = stage;
	if (victim === 'network') {
		network.cut();
		fills(1);
		network.mend();
		return;
	}
	if (victim === 'disk') {
		// What a consumer takes at once needs no disk.
		await consumer.kill();
		fills(AFTER_DISK);
		// A broker that writes a new file and removes the old one frees room again.
		const isFull = async (): Promise<boolean> => {
			await broker.useUpDisk();
			return DISK_IS_FULL.test(broker.log());
		};
		await until(isFull, { everyMs: 200, what: 'the broker to miss its disk', seen: broker.log });
	}
	if (victim === 'broker' || victim === 'disk') await broker.kill();
	else await { reader, consumer }[victim].kill();
	// Something happens while it is away.
	fills(1);
	if (victim === 'disk') await broker.freeDisk();
	await { reader, consumer, broker, disk: broker }[victim].restart();
	if (victim === 'disk') await consumer.restart();
}

/** Waits until an order stands for every fill; returns how long that took. */
export async function catchUp(stage: Stage, patienceMs = CATCH_UP_MS): Promise<number> {
	const from = performance.now();
	const owed = await stage.owed();
	let missing = owed;
	const isDone = (): boolean => {
		const placed = new Set(stage.placed());
		missing = missing.filter((name) => !placed.has(name));
		return missing.length === 0;
	};
	const seen = (): unknown => ({ ...seenOn(stage).seen(), missing: missing.length, of: owed.length });
	await until(isDone, { timeoutMs: patienceMs, everyMs: 200, what: 'an order for every fill', seen });
	return performance.now() - from;
}

const seenOn = ({ reader, consumer }: Stage) => ({
	seen: () => ({ reader: reader.log().slice(-1500), consumer: consumer.log().slice(-1500) }),
});
