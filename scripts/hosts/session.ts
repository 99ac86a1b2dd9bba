/** One run of a start script. Ctrl-C, an error or the end of any host stops everything it started, in reverse order. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Child } from './child';
import { tell } from './story';

export interface Session {
	/** Stops the process with the session, and the session when the process ends. */
	own: (name: string, child: Child) => void;
	/** Adds a callback for the end of the session. */
	atEnd: (stop: () => void) => void;
}

const END_PATIENCE_MS = 90_000;

export function runSession(start: (session: Session) => Promise<void>): void {
	const parts: Array<{ name: string; child: Child }> = [];
	const stops: Array<() => void> = [];
	let ending: Promise<void> | undefined;
	const end = (exitCode: number): void => {
		ending ??= finish(parts, stops, exitCode);
	};
	const own = (name: string, child: Child): void => {
		parts.push({ name, child });
		void child.exited.then(({ code, signal }) => {
			if (ending) return;
			tell(`${name} ended by itself (${signal ?? `exit code ${code}`}). Its last lines:\n${child.log().slice(-2000)}`);
			end(1);
		});
	};
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
		process.on(signal, () => {
			if (ending) process.exit(1); // asked twice: the hosts die with us
			tell('Stopping.');
			end(0);
		});
	}
	start({ own, atEnd: (stop) => stops.push(stop) }).catch((error: unknown) => {
		if (!ending) process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n\n`);
		end(1);
	});
}

async function finish(
	parts: Array<{ name: string; child: Child }>,
	stops: Array<() => void>,
	exitCode: number,
): Promise<void> {
	stops.forEach((stop) => stop());
	for (const { name, child } of parts.reverse()) {
		if (child.exit()) continue;
		await Promise.race([child.stop(), sleep(END_PATIENCE_MS)]);
		tell(`${name} has stopped.`);
	}
	process.exit(exitCode);
}
