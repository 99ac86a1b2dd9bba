import { readFileSync } from 'node:fs';
import { startProcess, stop } from './process';

const REST_MS = 1_500;

/** Time to the first answer of a fresh process, and what it holds in memory a moment later with its market live. */
export async function atRest(): Promise<{ firstAnswerMs: number; restingMegabytes: number }> {
	const { child, firstAnswerMs } = await startProcess([]);
	await new Promise((resolve) => setTimeout(resolve, REST_MS));
	const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
	await stop(child);
	return { firstAnswerMs, restingMegabytes: Number(kilobytes) / 1_024 };
}
