import { orderMachine } from '@partner-exchange/core/testing';
import { newIntent } from '../../../packages/core/src/orders/machine/state';

const machine = orderMachine();
const { conclusiveMs } = machine.policy;
const BEGAN = 1_000_000;

/** The next effect after a lookup that found nothing and began this long after the intent. */
function lookedAfter(ranMs: number) {
	const { state } = machine.step(newIntent(BEGAN, { earlier: true, sendsNoMore: 'looks_only' }), {
		type: 'started',
		at: BEGAN,
		chance: 0.5,
	});
	return machine.step(state, {
		type: 'looked_up',
		lookup: { is: 'absent', complete: true },
		at: BEGAN + ranMs,
		chance: 0.5,
	});
}

describe('the pauses of an intent', () => {
	it('does the late lookups of all intents at the same moments, at most two longest pauses apart', () => {
		const { cap } = machine.policy.lookupPauseMs;
		for (let ranMs = 0; ranMs < 3 * cap; ranMs += 777) {
			const { effect } = lookedAfter(conclusiveMs + ranMs);
			const delayMs = effect.do === 'pause' ? effect.delayMs : 0;
			expect((BEGAN + conclusiveMs + ranMs + delayMs) % cap).toBe(0);
			expect(delayMs).toBeGreaterThan(cap);
			expect(delayMs).toBeLessThanOrEqual(2 * cap);
		}
	});
});
