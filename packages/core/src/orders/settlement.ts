import { sleep } from '../ports';
import type { OpenIntent, OrderDependencies } from './deps';
import { handlerOf } from './handlers';
import { digestOf } from './identity';
import { settleIn } from './journal';
import { orderMachine } from './machine';
import { planOf } from './plan';
import { orderPolicy } from './policy';
import { runIntent } from './run';
import { newIntent } from './state';

/** Intents looked for at once; what comes beyond waits for the next start or for a person. */
const SETTLING_MAX = 100;
/** An order of unknown outcome is looked for this long, ever less often. */
const patience = { deadlineMs: 30 * 60_000, lookupPauseMs: { base: 5_000, cap: 30_000 } };
const BEGINS_AFTER_MS = 5_000;

/** Looks for what calls left unknown after they answered. It never sends, and tells each once. */
export interface Settler {
	follow(intent: OpenIntent): void;
}

export function createSettler(deps: OrderDependencies): Settler {
	const { host, inFlight, ports, machine } = deps;
	const { onSettled, signal } = host;
	const following = inFlight.settling;
	const { settleMs, lateArrivalMs, pauseMinMs } = machine.policy;
	const patient = orderMachine(orderPolicy({ settleMs, lateArrivalMs, pauseMinMs, ...patience }));

	async function settle({ key, operation, fields }: OpenIntent): Promise<void> {
		// Whoever made the call may go on with it at once, and knows better.
		await sleep(ports.clock, BEGINS_AFTER_MS, signal);
		if (signal?.aborted) return;
		const handler = handlerOf(planOf(operation, fields, { signal }, deps), deps, () => Promise.resolve());
		const begun = newIntent(ports.clock.elapsed(), { earlier: true, lookupOnly: true });
		const result = await runIntent(begun, handler, { ports, machine: patient, signal });
		const { outcome } = result;
		if (signal?.aborted || !inFlight.isOpen(key)) return;
		const is = outcome.is === 'accepted' || outcome.is === 'refused' ? outcome.is : 'unknown';
		if (is !== 'unknown') {
			if (!inFlight.conclude(key, digestOf([operation, fields]), result)) return;
			await settleIn(host.journal, key, is);
		}
		onSettled?.({
			key,
			operation,
			fields,
			outcome: is,
			...(outcome.is === 'accepted' ? { result: outcome.result } : {}),
			...('error' in outcome && outcome.error ? { error: outcome.error } : {}),
		});
	}

	return {
		follow: (intent) => {
			if (!onSettled || signal?.aborted || following.has(intent.key) || following.size >= SETTLING_MAX) return;
			following.add(intent.key);
			// A fault of our own must not end the process behind a call that was answered long ago.
			void settle(intent)
				.catch(() => undefined)
				.finally(() => following.delete(intent.key));
		},
	};
}
