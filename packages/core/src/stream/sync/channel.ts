import type { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { createAudience } from './subscribers';
import { createCatchUp, type CatchUpPorts } from './backfill';
import type { StreamNotice, StreamState } from '../contract';
import type { DataFrame } from '../connection/frames';
import { kindOfTopic } from '../topics/event';
import { createIntake } from './inbox';
import { BASE_AGAIN_MS } from '../limits';
import type { Receiver } from '../delivery/subscriber';
import type { Position } from '../connection/position';
import { createTrack, type Step } from './sequence';
import { createVigil } from './reconciler';

/** One topic as the service knows it, shared by everybody who wants it. */
export interface Feed {
	readonly topic: string;
	/** Resolves when the topic is confirmed and what was before is told apart from what is new. */
	join(receiver: Receiver): Promise<void>;
	/** Resolves when the topic is confirmed, for those who only need it to be there. */
	ready(): Promise<void>;
	/** Serves one again who had let go of the topic. */
	rejoin(receiver: Receiver): void;
	leave(receiver: Receiver): void;
	receivers(): readonly Receiver[];
	/** Where to resume from, for the next subscription. */
	resumeFrom(): Position | undefined;
	confirmed(head: Position | undefined, snapshot: unknown, resumedFrom: Position | undefined): void;
	wasConfirmed(): boolean;
	/** The service does not let us have the topic. */
	refused(error: ExchangeError): void;
	/** Those who only need it to be there are told that it will not be. */
	abandon(error: ExchangeError): void;
	/** The connection is gone. */
	lost(): void;
	take(frame: DataFrame): void;
	/** Whether a message need not be read, and counts it: nobody's filters let anything of its topic pass, or it came before. */
	drops(topic: string, isRepeated: boolean): boolean;
	/** Something may be missing: read REST, soon and again later. */
	suspect(): void;
	stop(): void;
}

export interface FeedPorts extends Pick<CatchUpPorts, 'reader' | 'policy' | 'seen' | 'refused'> {
	clock: Clock;
	random: () => number;
	/** Subscribes once more, so that one who joined late gets what it missed. */
	resubscribe(): void;
	state(): StreamState;
}

export function createFeed(topic: string, ports: FeedPorts): Feed {
	const kind = kindOfTopic(topic);
	const audience = createAudience();
	const track = createTrack(ports.clock);
	const tell = (receiver: Receiver, notice: Omit<StreamNotice, 'state'>) =>
		receiver.notice({ ...notice, state: ports.state() });
	const unbased = () => vigil.request(BASE_AGAIN_MS);
	const stepped = (step: Step) => ports.policy.isSuspect(step) && vigil.suspect(step);
	const intake = createIntake({ ...ports, topic, track, audience, stepped, notice: tell });
	const catchUp = createCatchUp({ ...ports, topic, lacks: intake.lacks, based: audience.based, unbased, notice: tell });
	const vigil = createVigil({ ...ports, topic, audience, track, intake, catchUp });
	let isConfirmed = false;
	let wasConfirmed = false;

	function join(receiver: Receiver): Promise<void> {
		const wasHere = receiver.hasStored(topic);
		const joined = audience.join(receiver, { confirmation: !isConfirmed || wasHere, baseline: true });
		catchUp.base(receiver).catch((error: ExchangeError) => {
			if (receiver.consumer.patient) unbased();
			else audience.leave(receiver, error);
		});
		if (isConfirmed && (wasHere || kind === 'book')) ports.resubscribe();
		else if (isConfirmed) intake.place(receiver);
		return joined;
	}

	function rejoin(receiver: Receiver): void {
		receiver.behind.delete(topic);
		audience.rejoin(receiver);
		ports.resubscribe();
	}

	function confirmed(head: Position | undefined, snapshot: unknown, resumedFrom: Position | undefined): void {
		isConfirmed = wasConfirmed = true;
		track.begin(head, resumedFrom);
		audience.receivers().forEach(intake.place);
		audience.confirmed();
		if (kind === 'book') return confirmedBook(snapshot);
		if (kind === 'trades' && catchUp.canRead()) intake.hold();
		vigil.suspect('subscribed');
	}

	function confirmedBook(snapshot: unknown): void {
		// A book begins here with everything there is, from the confirmation or else from REST; changes follow it.
		intake.forgetBook();
		if (snapshot !== undefined && snapshot !== null) {
			intake.takeBook(snapshot);
			intake.release();
		} else if (catchUp.canRead()) vigil.suspect('subscribed');
	}

	return {
		topic,
		join,
		ready: () => audience.ready({ confirmation: !isConfirmed, baseline: false }),
		rejoin,
		leave: audience.leave,
		receivers: audience.receivers,
		resumeFrom: intake.resumeFrom,
		confirmed,
		wasConfirmed: () => wasConfirmed,
		refused: (error) => {
			audience.reject(error);
			ports.refused(error);
		},
		abandon: (error) => audience.reject(error, 'anonymous'),
		lost: () => void (isConfirmed = false),
		take: (frame) => (kind === 'book' && !isConfirmed ? undefined : intake.take(frame)),
		drops: (exact, isRepeated) => {
			const why = !audience.isWanted(exact) ? 'filtered' : isRepeated ? 'duplicates' : undefined;
			if (why) audience.count('received', why);
			return why !== undefined;
		},
		suspect: () => vigil.suspect(),
		stop: () => {
			catchUp.stop();
			vigil.stop();
			intake.stop();
		},
	};
}
