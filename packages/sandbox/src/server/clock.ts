import { conflict } from '../engine/refusal';

/** The clock of the sandbox: the system clock, or a virtual one that moves only by `advance`. */
export interface SandboxClock {
	now(): number;
	/** How far the clock is ahead of the system clock, if the data file was written at a later time. */
	readonly ahead: number;
	/** Requests a call of `onAlarm` at this time. An earlier pending alarm stays. */
	wakeAt(time: number): void;
	/** Runs an action after a delay; returns a function that cancels it. */
	after(delayMs: number, action: () => void): () => void;
	/** Advances a virtual clock, stopping at each alarm in between. */
	advance(durationMs: number): void;
	/** Like `advance`, in slices, so that sockets are served in between; `pause` waits for them. */
	advanceInSlices(durationMs: number, pause: () => Promise<void>): Promise<void>;
	/** Start and end of a running `advanceInSlices`. */
	readonly advancing: Advancing | undefined;
	close(): void;
}

interface Advancing {
	from: number;
	to: number;
}

/** Alarms per slice: few enough that clients do not fall too far behind before sockets are served. */
const SLICE_ALARMS_MAX = 400;

interface Alarm {
	at: number;
	action: () => void;
}

const TIMEOUT_MAX_MS = 2 ** 31 - 1;

/** The system clock, but never before `start`, so that no time that clients have seen repeats. */
export function realClock(onAlarm: () => void, start = 0): SandboxClock {
	const ahead = Math.max(0, start - Date.now());
	const now = () => Date.now() + ahead;
	const timers = new Set<NodeJS.Timeout>();
	let alarm: { at: number; timer: NodeJS.Timeout } | undefined;
	function after(delayMs: number, action: () => void) {
		const timer = setTimeout(
			() => {
				timers.delete(timer);
				action();
			},
			Math.min(Math.max(delayMs, 0), TIMEOUT_MAX_MS),
		);
		timers.add(timer);
		return () => {
			clearTimeout(timer);
			timers.delete(timer);
		};
	}
	function wakeAt(time: number) {
		if (alarm && alarm.at <= time) return;
		if (alarm) clearTimeout(alarm.timer);
		const timer = setTimeout(
			() => {
				alarm = undefined;
				onAlarm();
			},
			Math.min(Math.max(time - now(), 0), TIMEOUT_MAX_MS),
		);
		alarm = { at: time, timer };
	}
	return {
		now,
		ahead,
		after,
		wakeAt,
		advance: refuseAdvance,
		advanceInSlices: refuseAdvance,
		advancing: undefined,
		close() {
			if (alarm) clearTimeout(alarm.timer);
			for (const timer of timers) clearTimeout(timer);
		},
	};
}

function refuseAdvance(): never {
	throw conflict(
		'real_clock',
		'The clock is real and moves by itself. Start the sandbox with a virtual clock (--clock virtual) to move it.',
	);
}

export function virtualClock(onAlarm: () => void, start: number): SandboxClock {
	let now = start;
	let alarms: Alarm[] = [];
	let due: number | undefined;
	let advancing: Advancing | undefined;
	let closed = false;
	function after(delayMs: number, action: () => void) {
		const alarm = { at: now + Math.max(delayMs, 0), action };
		alarms.push(alarm);
		return () => {
			alarms = alarms.filter((other) => other !== alarm);
		};
	}
	function ring(time: number) {
		now = Math.max(now, time);
		if (due !== undefined && due <= now) {
			due = undefined;
			onAlarm();
		}
		const ringing = alarms.filter(({ at }) => at <= now);
		alarms = alarms.filter(({ at }) => at > now);
		for (const { action } of ringing) action();
	}
	/** Runs the next alarm up to `end`; returns true when none is left before `end`. */
	function ringNext(end: number): boolean {
		const next = Math.min(due ?? end, ...alarms.map(({ at }) => at), end);
		ring(next);
		return next >= end && (due === undefined || due > end) && alarms.every(({ at }) => at > end);
	}
	/** Throws synchronously instead of rejecting, so that a caller that does not await it sees the error too. */
	function advanceInSlices(durationMs: number, pause: () => Promise<void>): Promise<void> {
		if (advancing)
			throw conflict('clock_moving', 'The clock is moving already. Wait until clock_advance of the state is null.');
		advancing = { from: now, to: now + durationMs };
		return ringSlices(advancing.to, pause);
	}
	async function ringSlices(to: number, pause: () => Promise<void>) {
		try {
			for (let rung = 1; !closed && !ringNext(to); rung++) if (rung % SLICE_ALARMS_MAX === 0) await pause();
		} finally {
			advancing = undefined;
		}
	}
	return {
		now: () => now,
		ahead: 0,
		after,
		wakeAt(time) {
			if (due === undefined || time < due) due = time;
		},
		advance(durationMs) {
			const end = now + durationMs;
			while (!ringNext(end));
		},
		advanceInSlices,
		get advancing() {
			return advancing;
		},
		close() {
			closed = true;
			alarms = [];
		},
	};
}
