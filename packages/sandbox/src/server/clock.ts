/** The clock of the sandbox: the system clock, or a virtual one that moves only by `advance`. */
export interface SandboxClock {
	now(): number;
	/** Requests `onAlarm` at this time. An earlier pending alarm stays. */
	wakeAt(time: number): void;
	/** Runs an action after a delay; the returned function cancels it. */
	after(delayMs: number, action: () => void): () => void;
	/** Moves a virtual clock forward, stopping at each alarm in between. */
	advance(durationMs: number): void;
	close(): void;
}

interface Alarm {
	at: number;
	action: () => void;
}

const TIMEOUT_MAX_MS = 2 ** 31 - 1;

export function realClock(onAlarm: () => void): SandboxClock {
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
			Math.min(Math.max(time - Date.now(), 0), TIMEOUT_MAX_MS),
		);
		alarm = { at: time, timer };
	}
	return {
		now: Date.now,
		after,
		wakeAt,
		advance() {
			throw new Error('The clock is real and moves by itself. Start the sandbox with clock: "virtual" to move it.');
		},
		close() {
			if (alarm) clearTimeout(alarm.timer);
			for (const timer of timers) clearTimeout(timer);
		},
	};
}

export function virtualClock(onAlarm: () => void, start: number): SandboxClock {
	let now = start;
	let alarms: Alarm[] = [];
	let due: number | undefined;
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
	return {
		now: () => now,
		after,
		wakeAt(time) {
			if (due === undefined || time < due) due = time;
		},
		advance(durationMs) {
			const end = now + durationMs;
			for (;;) {
				const next = Math.min(due ?? end, ...alarms.map(({ at }) => at), end);
				ring(next);
				if (next >= end && (due === undefined || due > end) && alarms.every(({ at }) => at > end)) return;
			}
		},
		close() {
			alarms = [];
		},
	};
}
