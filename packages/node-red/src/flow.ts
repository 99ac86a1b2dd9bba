/** The flow behind a listening node, as far as events are concerned: when they may be sent, and which may be lost. */
import type { StoredPositions, StreamEvent } from '@partner-exchange/core';
import type { FeedSettings, Receiver } from './feed';
import { createGate } from './gate';
import { settling } from './settling';

export interface Flow {
	take: (events: StreamEvent[]) => Promise<void>;
	moved: (positions: StoredPositions) => void;
	receiver: () => Receiver | undefined;
	attach: (receiver: Receiver | undefined) => void;
	end: () => void;
}

type Means = Pick<FeedSettings, 'place' | 'settleMs' | 'saving' | 'deploys' | 'clock' | 'turn'>;

export function createFlow(means: Means): Flow {
	const { place, deploys, turn } = means;
	let receiver: Receiver | undefined;
	/** The last receiver was stopped, perhaps before what it sent was settled. */
	let replaced = false;
	const flowing = (): boolean => receiver !== undefined && deploys.running(place);
	const gate = createGate(flowing);
	const unsettled = createUnsettled(means, flowing);

	function send(events: StreamEvent[]): void {
		unsettled.sent(events);
		receiver?.send(events);
	}
	function goOn(mayHaveLost: boolean): void {
		if (!flowing()) return;
		if (mayHaveLost || replaced) send(unsettled.takeBack());
		replaced = false;
		gate.open();
		unsettled.look();
	}
	const stopListening = deploys.onStarted(place, goOn);
	return {
		take: async (events) => {
			await gate.pass();
			send(events);
			await turn();
		},
		moved: unsettled.moved,
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
function createUnsettled({ saving, clock, settleMs }: Means, flowing: () => boolean) {
	const unsettled = settling(settleMs);
	let cancel: (() => void) | undefined;
	let stopped = false;
	function look(): void {
		const at = unsettled.nextAt();
		if (cancel || at === undefined || stopped) return;
		cancel = clock.after(Math.max(0, at - clock.now()), () => {
			cancel = undefined;
			if (!flowing()) return;
			const positions = unsettled.settled(clock.now());
			if (positions) saving.put(positions);
			look();
		});
	}
	return {
		look,
		sent: (events: StreamEvent[]) => unsettled.sent(events, clock.now()),
		takeBack: () => unsettled.takeBack(clock.now()),
		moved: (positions: StoredPositions) => {
			unsettled.moved(positions, clock.now());
			look();
		},
		stop: () => {
			stopped = true;
			cancel?.();
		},
	};
}
