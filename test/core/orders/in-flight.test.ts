import { createInFlightIntents, ExchangeError, type InFlightIntents } from '@partner-exchange/core';
import { newIntent, type Outcome } from '../../../packages/core/src/orders/machine/state';

type Asked = Parameters<InFlightIntents['once']>[0];

const refused: Outcome = { is: 'refused', error: new ExchangeError('forbidden', { what: 'refused' }) };
const accepted: Outcome = { is: 'accepted', result: { order_id: 'order-1' }, by: 'answer' };
const unknown: Outcome = { is: 'unknown' };

/** A call whose run ends with this outcome, when it is let. */
function asked(outcome: Outcome, more: Partial<Asked> = {}) {
	let runs = 0;
	let end: () => void = () => undefined;
	const run: Asked['run'] = (known) => {
		runs += 1;
		return new Promise((resolve) => (end = () => resolve({ outcome, state: known ?? newIntent(7) })));
	};
	const call: Asked = {
		key: 'key',
		digest: 'digest',
		repeated: false,
		run,
		onPayloadMismatch: () => Promise.resolve({ outcome: refused, state: newIntent(0) }),
		...more,
	};
	return { call, end: () => end(), runs: () => runs };
}

describe('what a process remembers of its intents', () => {
	it('shares one run among all who ask while it lasts, and its order with all who ask later', async () => {
		const memory = createInFlightIntents();
		const first = asked(accepted);
		const calls = [memory.once(first.call), memory.once(first.call)];
		first.end();
		expect((await Promise.all(calls)).map(({ repeated }) => repeated)).toEqual([false, true]);
		expect(await memory.once(first.call)).toMatchObject({ outcome: accepted, repeated: true });
		expect(first.runs()).toBe(1);
	});

	it('goes on from a run that ended without an outcome', async () => {
		const memory = createInFlightIntents();
		const first = asked(unknown);
		const ended = memory.once(first.call);
		first.end();
		await ended;
		const known: unknown[] = [];
		await memory.once({
			...first.call,
			run: (state) => (known.push(state), Promise.resolve({ outcome: accepted, state: newIntent(0) })),
		});
		expect(known).toEqual([newIntent(7)]);
	});

	it('forgets what was certainly refused, so that a corrected order may have its name', async () => {
		const memory = createInFlightIntents();
		const first = asked(refused);
		const ended = memory.once(first.call);
		first.end();
		await ended;
		const corrected = asked(accepted, { digest: 'corrected' });
		const again = memory.once(corrected.call);
		corrected.end();
		expect(await again).toMatchObject({ outcome: accepted, repeated: false });
	});

	it('does not run another payload under the same name', async () => {
		const memory = createInFlightIntents();
		void memory.once(asked(accepted).call);
		const other = asked(accepted, { digest: 'other' });
		expect(await memory.once(other.call)).toMatchObject({ outcome: refused });
		expect(other.runs()).toBe(0);
	});

	it('lets who knows of an earlier run go on alone when one that did not was refused', async () => {
		const memory = createInFlightIntents();
		const first = asked(refused);
		const second = asked(accepted, { repeated: true });
		const calls = [memory.once(first.call), memory.once(second.call)];
		first.end();
		await calls[0];
		await new Promise(setImmediate);
		second.end();
		expect(await calls[1]).toMatchObject({ outcome: accepted, repeated: false });
	});

	it('begins by reading after a run that broke off', async () => {
		const memory = createInFlightIntents();
		const broken = asked(accepted, { run: () => Promise.reject(new TypeError('a fault of our own')) });
		await expect(memory.once(broken.call)).rejects.toThrow('a fault of our own');
		const known: unknown[] = [];
		await memory.once({
			...broken.call,
			run: (state) => (known.push(state), Promise.resolve({ outcome: accepted, state: newIntent(0) })),
		});
		expect(known).toEqual([newIntent(0)]);
	});

	it('lets no reading on the side speak for something else under the same name', async () => {
		const memory = createInFlightIntents();
		const first = asked(unknown);
		const ended = memory.once(first.call);
		first.end();
		await ended;
		expect(memory.conclude('key', 'another digest', { outcome: refused, state: newIntent(0) })).toBe(false);
		expect(memory.isOpen('key')).toBe(true);
		expect(memory.conclude('key', 'digest', { outcome: refused, state: newIntent(0) })).toBe(true);
		expect(memory.isOpen('key')).toBe(false);
	});

	it('knows whose an order is by who placed it, not by who cancelled it', async () => {
		const memory = createInFlightIntents();
		for (const [key, isCancel] of [
			['cancel', true],
			['create', false],
		] as const) {
			const one = asked(accepted, { key, isCancel });
			const ended = memory.once(one.call);
			one.end();
			await ended;
			expect(memory.ownerOf('order-1')).toBe(isCancel ? undefined : 'create');
		}
	});
});
