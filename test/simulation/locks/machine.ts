import * as path from 'node:path';
import type { FileLock } from '../../../packages/core/src/node/file-lock';
import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import { fileSystem, type Folder } from './disk';

const PATH = '/data/orders.journal.lock';

/** The shipped lock as a program: what it takes from Node is given to it. */
export type LockProgram = (...globals: unknown[]) => void;
export const GLOBALS = [
	'module',
	'exports',
	'require',
	'process',
	'Date',
	'performance',
	'setInterval',
	'clearInterval',
] as const;

/** One process that wants the lock. */
export interface Program {
	pid: number;
	machine: Machine;
	lock: FileLock;
	lives(): boolean;
	isSuspended(): boolean;
	/** When the process went on after it was suspended last. */
	awakeSince(): number;
	/** The process dies at once. */
	kill(): void;
	/** The process ends in order. */
	end(): void;
	suspend(): void;
	resume(): void;
}

/** A machine or container: a name, a clock, and which process numbers are in use. */
export interface Machine {
	name: string;
	/** How far its clock is ahead. */
	aheadMs: number;
	pids: Map<number, 'ours' | 'another program'>;
}

interface World {
	time: VirtualTime;
	chance: Random;
	folder: Folder;
	slowMs: number;
	program: LockProgram;
	/** How long a process hangs that is at this step of the lock. */
	hangsMs(step: string): number;
	note(...words: (string | number)[]): void;
}

/** Starts a process under a number, which may be one that a dead process had. */
export function start(
	{ time, chance, folder, slowMs, program, hangsMs, note }: World,
	machine: Machine,
	pid: number,
): Program {
	let [isAlive, isSuspended, awakeSince] = [true, false, 0];
	let waiting: (() => void)[] = [];
	const atExit: (() => void)[] = [];
	machine.pids.set(pid, 'ours');
	const whenAwake = (action: () => void): void => {
		if (isSuspended) waiting.push(action);
		else if (isAlive) action();
	};
	const suspend = (): void => void (isSuspended = true);
	const resume = (): void => {
		if (isSuspended) [isSuspended, awakeSince] = [false, time.now()];
		for (const action of waiting.splice(0)) whenAwake(action);
	};
	const now = (): number => time.now() + machine.aheadMs;
	const { promises, sync } = fileSystem(folder, {
		...{ time, chance, slowMs, whenAwake },
		note: (step, ...words) => {
			note(machine.name, pid, step, ...words);
			const hangs = hangsMs(step);
			if (hangs === 0) return;
			suspend();
			time.after(hangs, resume);
		},
		now: () => time.now(),
		lives: () => isAlive,
	});
	const every = (action: () => void, everyMs: number): { unref(): object } => {
		const timer = { off: false, unref: () => timer };
		const tick = (): void => {
			if (timer.off || !isAlive) return;
			action();
			time.after(everyMs, () => whenAwake(tick));
		};
		time.after(everyMs, () => whenAwake(tick));
		return timer;
	};
	const required: Readonly<Record<string, unknown>> = {
		'node:fs': sync,
		'node:fs/promises': promises,
		'node:os': { hostname: () => machine.name },
		'node:path': path,
	};
	const module = { exports: {} as { fileLock(file: string): FileLock } };
	program(
		module,
		module.exports,
		(name: string) => required[name],
		{
			pid,
			kill: (other: number) => signal(machine, other),
			once: (_: string, action: () => void) => atExit.push(action),
		},
		class extends Date {
			constructor() {
				super(now());
			}
			static override now = now;
		},
		{ now: () => time.now() },
		every,
		(timer?: { off: boolean }) => void (timer && (timer.off = true)),
	);
	const kill = (): void => {
		isAlive = false;
		waiting = [];
		machine.pids.delete(pid);
	};
	return {
		pid,
		machine,
		lock: module.exports.fileLock(PATH),
		lives: () => isAlive,
		isSuspended: () => isSuspended,
		awakeSince: () => (isSuspended ? Infinity : awakeSince),
		kill,
		end: () => {
			atExit.forEach((action) => action());
			kill();
		},
		suspend,
		resume,
	};
}

/** Signal 0: whether a process has this number. */
function signal({ pids }: Machine, pid: number): void {
	const owner = pids.get(pid);
	if (owner === 'ours') return;
	throw Object.assign(new Error(), { code: owner ? 'EPERM' : 'ESRCH' });
}
