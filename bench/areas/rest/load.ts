import { stopwatch, type Sample } from '../../area';
import { latencyOf } from '../stream/latencies';

/** Calls a client makes before it is measured, which open its connections. */
const WARM_UP = 200;

/** A number of calls, a few at a time. */
export async function calls(size: number, atOnce: number, call: (number: number) => Promise<unknown>): Promise<Sample> {
	let next = 0;
	let took: number[] = [];
	const all = async (end: number): Promise<void> => {
		const work = async (): Promise<void> => {
			while (next < end) {
				const at = performance.now();
				await call(next++);
				took.push(performance.now() - at);
			}
		};
		await Promise.all(Array.from({ length: atOnce }, work));
	};
	await all(Math.min(WARM_UP, size));
	took = [];
	const done = stopwatch();
	await all(next + size);
	return { ...done(size), latency: latencyOf(took) };
}
