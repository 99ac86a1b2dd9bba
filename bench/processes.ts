import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Sample } from './area';

/** Long enough for the slowest contestant on a busy machine; a contestant that hangs must not hold up the others. */
const PART_MS_MAX = 120_000;

/** A part of the bench in a process of its own, so that none lives off what another warmed up or left behind. */
export interface Part {
	child: ChildProcess;
	/** The first line it says. Rejects when it ends without one. */
	line: Promise<string>;
}

export function startPart(program: string, ...argv: string[]): Part {
	const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
	const child = spawn(process.execPath, ['--expose-gc', program, ...argv], { stdio, env: withoutProxy() });
	const end = (): void => void child.kill();
	// A bench that fails leaves nothing behind.
	process.once('exit', end);
	child.once('exit', () => process.removeListener('exit', end));
	const said = once(createInterface(child.stdout), 'line').then(([line]) => String(line));
	const ended = once(child, 'exit').then(() =>
		Promise.reject(new Error('it ended without a word; the output of the run says why')),
	);
	return { child, line: Promise.race([said, ended]) };
}

/** One contestant in a fresh process. */
export async function sampleOf(
	program: string,
	area: string,
	name: string,
	size: number,
	address: string,
): Promise<Sample> {
	const part = startPart(program, 'sample', area, name, String(size), address);
	const ended = once(part.child, 'exit');
	const sample = JSON.parse(await withinLimit(part)) as Sample;
	// The process ends by itself, and removes what it wrote to the disk.
	await ended;
	return sample;
}

/** The first line of a part; one that says nothing for long is ended. */
export async function withinLimit({ child, line }: Part): Promise<string> {
	const timer = setTimeout(() => child.kill('SIGKILL'), PART_MS_MAX);
	try {
		return await line;
	} finally {
		clearTimeout(timer);
	}
}

/** Everything is on this machine, and some clients would ask a proxy for it all the same. */
const withoutProxy = (): NodeJS.ProcessEnv =>
	Object.fromEntries(Object.entries(process.env).filter(([name]) => !/proxy/i.test(name)));
