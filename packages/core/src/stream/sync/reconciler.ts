import type { Clock } from '../../ports';
import type { Audience } from './subscribers';
import type { CatchUp } from './backfill';
import { kindOfTopic } from '../topics/event';
import type { Intake } from './inbox';
import { READ_LAG_MS_MAX, READ_SPACING_MS, READ_SPARSE_EVERY_MS } from '../limits';
import type { StreamPolicy } from '../policy';
import { createSchedule } from './scheduler';
import type { Step, Track } from './sequence';

/** Decides when REST is read for one topic. */
export interface Vigil {
	/** Something may be missing. After a subscription it is read at once, whatever was read lately. */
	suspect(reason?: Step | 'subscribed'): void;
	/** Reads once after a while. */
	request(delayMs: number): void;
	stop(): void;
}

export interface VigilPorts {
	topic: string;
	clock: Clock;
	random: () => number;
	policy: StreamPolicy;
	audience: Audience;
	track: Track;
	intake: Intake;
	catchUp: CatchUp;
	/** A confirmation may bring a book where no read can. */
	resubscribe(): void;
}

export function createVigil({
	topic,
	clock,
	random,
	policy,
	audience,
	track,
	intake,
	catchUp,
	resubscribe,
}: VigilPorts): Vigil {
	const kind = kindOfTopic(topic);
	const everyMs = kind === 'other' ? undefined : policy.readEveryMs;
	const schedule = createSchedule({ run: read, clock, random, everyMs });

	async function read(): Promise<void> {
		const isDoubted = kind === 'book' && intake.isDoubted();
		if (isDoubted) {
			if (!catchUp.canRead()) return resubscribe();
			// Changes that come meanwhile follow what is read.
			intake.hold();
		}
		const result = await catchUp.run(audience.receivers(), track.settledSequence());
		// What is no newer than a sound book tells nothing.
		if (result === 'outdated') return isDoubted ? schedule.request(READ_SPACING_MS) : undefined;
		if (result) {
			const { past, found } = result;
			if (kind === 'book') intake.startBook(past.happenings[0]?.sequence);
			if (past.watermark !== undefined) track.reached(past.watermark);
			track.read(found);
		}
		intake.release();
	}

	/** A book of which something may be missing begins anew. */
	function rebuild(reason?: Step | 'subscribed'): void {
		intake.doubtBook();
		if (catchUp.canRead()) intake.hold();
		schedule.request(0, reason === 'subscribed');
	}

	return {
		suspect: (reason) => {
			if (reason === 'gap' || reason === 'unusable') audience.count('gaps');
			if (kind === 'book') return rebuild(reason);
			if (reason === 'gap' && track.isSparse()) return schedule.ensure(READ_LAG_MS_MAX, READ_SPARSE_EVERY_MS);
			for (const delayMs of policy.readAfterMs) schedule.request(delayMs, reason === 'subscribed' && delayMs === 0);
		},
		request: (delayMs) => schedule.request(delayMs),
		stop: schedule.stop,
	};
}
