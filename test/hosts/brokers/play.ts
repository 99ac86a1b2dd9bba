/** Kills the parts of a stage in turns while fills come in. */
import { until } from '../../support/condition';
import type { Stage } from './stage';

type Victim = 'reader' | 'broker' | 'consumer' | 'network';

/** The longest wait for one kill: longer than RabbitMQ takes to start, and n8n to notice. */
const CATCH_UP_MS = 300_000;

export async function play(stage: Stage, fillsPerKill: number, victims: readonly Victim[]): Promise<void> {
	for (const victim of victims) {
		const before = stage.placed().length;
		stage.fills(fillsPerKill);
		// In the middle of the work: something has arrived, something has not.
		const hasActed = (): boolean => stage.placed().length > before;
		await until(hasActed, { timeoutMs: CATCH_UP_MS, what: 'the consumer to act', ...seenOn(stage) });
		await strike(stage, victim);
		await catchUp(stage);
		for (const party of [stage.reader, stage.consumer]) party.forget();
	}
}

async function strike(stage: Stage, victim: Victim): Promise<void> {
	const { network, fills } = stage;
	if (victim === 'network') {
		network.cut();
		fills(1);
		network.mend();
		return;
	}
	if (victim === 'consumer') await killAtWork(stage);
	else await stage[victim].kill();
	// Something happens while it is away.
	fills(1);
	await stage[victim].restart();
}

/** Kills the consumer while it is placing orders, of which it learns nothing any more. */
export async function killAtWork({ fills, hold, consumer }: Stage): Promise<void> {
	const { begun, release } = hold();
	fills(1);
	await until(begun, { what: 'the consumer to begin an order', seen: consumer.log });
	await consumer.kill();
	release();
}

/** Waits until an order stands for every fill. */
export async function catchUp(stage: Stage): Promise<void> {
	const owed = await stage.owed();
	let missing = owed;
	const isDone = (): boolean => {
		const placed = new Set(stage.placed());
		missing = missing.filter((name) => !placed.has(name));
		return missing.length === 0;
	};
	const seen = (): unknown => ({ ...seenOn(stage).seen(), missing: missing.length, of: owed.length });
	await until(isDone, { timeoutMs: CATCH_UP_MS, everyMs: 200, what: 'an order for every fill', seen });
}

const seenOn = ({ reader, consumer }: Stage) => ({
	seen: () => ({ reader: reader.log().slice(-1500), consumer: consumer.log().slice(-1500) }),
});
