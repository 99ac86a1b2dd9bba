import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** What a process used so far. Only Linux tells it this way. */
export function usedBy(pid: number): { cpuSeconds: number; megabytes: number } {
	// The name of the program is in brackets and may hold blanks.
	const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
	const [user, system] = [Number(fields[11]), Number(fields[12])];
	const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
	return { cpuSeconds: (user + system) / TICKS_PER_SECOND, megabytes: Number(resident?.[1] ?? 0) / 1024 };
}
