/** The flow behind a listening node, as far as events are concerned: when they may be sent, and which may be lost. */
import type { StoredCheckpoint, StreamEvent } from '@partner-exchange/core';
import type { FeedSettings, Receiver } from './feed';
import { createGate } from './gate';
import { settling } from './settling';

export interface Flow {
	take: (events: StreamEvent[]) => Promise<void>;
	moved: (positions: StoredCheckpoint) => void;
	acknowledge: (keys: readonly string[]) => void;
	/** Messages the flow keeps for long. */
	late: () => number;
	receiver: () => Receiver | undefined;
	attach: (receiver: Receiver | undefined) => void;
	end: () => void;
}

type Means = Pick<FeedSettings, 'place' | 'taking' | 'saving' | 'deploys' | 'clock' | 'turn'>;

export function createFlow(means: Means): Flow {
	const { place, deploys, turn, taking } = means;
	let receiver: Receiver | undefined;
	/** The last receiver was stopped, perhaps before what it sent was settled. */
	let replaced = false;
	const flowing = (): boolean => receiver !== undefined && deploys.running(place);
	const unsettled = createUnsettled(means, flowing);
	const gate = createGate(() => flowing() && unsettled.span() < taking.underWayMax);

	function goOn(mayHaveLost: boolean): void {
		if (!flowing()) return;
		if (mayHaveLost || replaced) receiver?.send(unsettled.takeBack());
		replaced = false;
		gate.open();
		unsettled.look();
	}
	const stopListening = deploys.onStarted(place, goOn);
	return {
		take: async (events) => {
			await gate.pass();
			unsettled.sent(events);
			receiver?.send(events);
			await turn();
		},
		moved: unsettled.moved,
		acknowledge: (keys) => {
			unsettled.acknowledged(keys);
			gate.open();
		},
		late: unsettled.late,
		receiver: () => receiver,
		attach: (next) => {
			if (receiver && !next) replaced = true;
			receiver = next;
			goOn(false);
		},
		end: () => {
			stopListening();
			unsettled.stop();
			gate.end();
		},
	};
}

/** What is not settled yet, on a clock: the position is stored as soon as it is. */
function createUnsettled({ saving, clock, taking }: Means, flowing: () => boolean) {
	const unsettled = settling(taking.settleMs);
	let cancel: (() => void) | undefined;
	let stopped = false;
	function look(): void {
		const at = unsettled.nextAt();
		if (cancel || at === Infinity || stopped) return;
		cancel = clock.after(Math.max(0, at - clock.now()), () => {
			cancel = undefined;
			if (!flowing()) return;
			store();
			look();
		});
	}
	function store(): void {
		const positions = unsettled.settled(clock.now());
		if (positions) saving.put(positions);
	}
	return {
		look,
		sent: (events: StreamEvent[]) => unsettled.sent(events, clock.now()),
		takeBack: () => unsettled.takeBack(clock.now()),
		// What the flow says holds during a deploy too.
		acknowledged: (keys: readonly string[]) => {
			unsettled.acknowledged(keys);
			store();
		},
		moved: (positions: StoredCheckpoint) => {
			unsettled.moved(positions);
			look();
		},
		span: unsettled.span,
		late: () => unsettled.late(clock.now()),
		stop: () => {
			stopped = true;
			cancel?.();
		},
	};
}
