import type { Sample } from '../../area';
import { monotonicMs } from './server';

/** From the moment a message was sent, which it carries, to the moment somebody has it. */
export function createLatencies() {
	const durations: number[] = [];
	return {
		record: ({ at }: Record<string, string>): void => void durations.push(monotonicMs() - Number(at) / 1_000),
		spread: (): Pick<Sample, 'latency'> => ({ latency: latencyOf(durations) }),
	};
}

/** The median of some durations, and what 99 of 100 stay below. */
export function latencyOf(durations: readonly number[]): NonNullable<Sample['latency']> {
	const sorted = [...durations].sort((a, b) => a - b);
	const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
	return { medianMs: at(0.5), mostMs: at(0.99) };
}
