import { getEventListeners } from 'node:events';
import { createInFlightIntents, ExchangeError } from '@partner-exchange/core';
import { resumeState } from '../../../packages/core/src/orders/in-flight';
import { newIntent, type Outcome } from '../../../packages/core/src/orders/machine/state';
import { accepted, request, ended, order, refused, unknown, type IntentRequest } from './intent-request';

describe('what a process remembers of its intents', () => {
	it('shares one run, and later its order, among all callers of an intent', async () => {
		const memory = createInFlightIntents();
		const first = request(accepted);
		const calls = [memory.once(first.call), memory.once(first.call)];
		first.end();
		expect((await Promise.all(calls)).map(({ repeated }) => repeated)).toEqual([false, true]);
		expect(await memory.once(first.call)).toMatchObject({ outcome: accepted, repeated: true });
		expect(first.runs()).toBe(1);
	});

	it('resumes an intent whose run ended without an outcome', async () => {
		const memory = createInFlightIntents();
		await ended(memory, unknown);
		const earlier: unknown[] = [];
		await memory.once({
			...request(unknown).call,
			run: (state) => (earlier.push(state), Promise.resolve({ outcome: accepted, state: newIntent(0) })),
		});
		expect(earlier).toEqual([newIntent(7)]);
	});

	it('forgets a refused intent, so that a corrected order may take its name', async () => {
		const memory = createInFlightIntents();
		await ended(memory, refused);
		const corrected = request(accepted, { digest: 'corrected' });
		const again = memory.once(corrected.call);
		corrected.end();
		expect(await again).toMatchObject({ outcome: accepted, repeated: false });
	});

	it('lets a corrected order take a name under which nothing was sent and nothing is known', async () => {
		const memory = createInFlightIntents();
		const unseen = { is: 'unknown', unseen: true } as const;
		await ended(memory, unseen);
		const corrected = request(accepted, { digest: 'corrected' });
		const again = memory.once(corrected.call);
		corrected.end();
		expect(await again).toMatchObject({ outcome: accepted, repeated: false });
		const earlier = newIntent(0, { earlier: true });
		memory.conclude('older', 'digest', { outcome: unseen, state: earlier });
		const other = request(accepted, { key: 'older', digest: 'corrected' });
		expect(await memory.once(other.call)).toMatchObject({ outcome: refused, repeated: true });
	});

	it('refuses another payload under the name of an intent', async () => {
		const memory = createInFlightIntents();
		void memory.once(request(accepted).call);
		const other = request(accepted, { digest: 'other' });
		expect(await memory.once(other.call)).toMatchObject({ outcome: refused, repeated: true });
		expect(other.runs()).toBe(0);
	});

	it.each([
		['lets who knows of an earlier run go on alone when one that did not was refused', refused, { repeated: true }],
		['runs what another stopped before sending for whoever still wants it', { is: 'stopped' }, {}],
	] as const)('continues an intent correctly after a break: %s', async (_, end, more) => {
		const memory = createInFlightIntents();
		const first = request(end);
		const second = request(accepted, more);
		const calls = [memory.once(first.call), memory.once(second.call)];
		first.end();
		await calls[0];
		await new Promise(setImmediate);
		second.end();
		expect(await calls[1]).toMatchObject({ outcome: accepted, repeated: false });
	});

	it('begins an intent with a lookup after a run that broke off', async () => {
		const memory = createInFlightIntents();
		const broken = request(accepted, { run: () => Promise.reject(new TypeError('a fault of our own')) });
		await expect(memory.once(broken.call)).rejects.toThrow('a fault of our own');
		expect(memory.open()).toEqual([{ key: 'key', isRunning: false }]);
		const earlier: unknown[] = [];
		await memory.once({
			...broken.call,
			run: (state) => (earlier.push(state), Promise.resolve({ outcome: accepted, state: newIntent(0) })),
		});
		expect(earlier).toEqual([newIntent(0)]);
	});

	it("rejects a background lookup's answer for another payload under the same name", async () => {
		const memory = createInFlightIntents();
		await ended(memory, unknown);
		expect(memory.conclude('key', 'another digest', { outcome: refused, state: newIntent(0) })).toBe(false);
		expect(memory.isOpen('key')).toBe(true);
		expect(memory.conclude('key', 'digest', { outcome: refused, state: newIntent(0) })).toBe(true);
		expect(memory.isOpen('key')).toBe(false);
	});

	it('attributes an order to the intent that placed it, not to the one that cancelled it', async () => {
		const memory = createInFlightIntents();
		for (const [key, isCancel] of [
			['cancel', true],
			['create', false],
		] as const) {
			await ended(memory, accepted, { key, isCancel });
			expect(memory.ownerOf('order-1')).toBe(isCancel ? undefined : 'create');
		}
	});

	it('takes over what an earlier process left open, unless it knows better', async () => {
		const memory = createInFlightIntents();
		memory.restore({ key: 'key', digest: 'digest' }, newIntent(3));
		memory.restore({ key: 'key', digest: 'digest' }, newIntent(4));
		expect(memory.open()).toEqual([{ key: 'key', isRunning: false }]);
		const earlier: unknown[] = [];
		const { call } = request(accepted);
		await memory.once({
			...call,
			run: (state) => (earlier.push(state), Promise.resolve({ outcome: accepted, state: newIntent(0) })),
		});
		expect(earlier).toEqual([newIntent(3)]);
	});

	it('ignores a background lookup while a run of the intent is in flight', async () => {
		const memory = createInFlightIntents();
		const running = request(accepted);
		const end = memory.once(running.call);
		expect(memory.conclude('key', 'digest', { outcome: refused, state: newIntent(0) })).toBe(false);
		running.end();
		expect(await end).toMatchObject({ outcome: accepted });
	});

	it('records a background lookup of a cancel, and leaves its order with the intent that placed it', async () => {
		const memory = createInFlightIntents();
		await ended(memory, order('order-1'), { key: 'create' });
		await ended(memory, unknown, { key: 'cancel', isCancel: true });
		expect(memory.conclude('cancel', 'digest', { outcome: order('order-1'), state: newIntent(0) })).toBe(true);
		expect(memory.ownerOf('order-1')).toBe('create');
	});

	it("answers unknown to a caller that stops waiting for another's run, which continues", async () => {
		const memory = createInFlightIntents();
		const first = request(accepted);
		const owner = memory.once(first.call);
		const stop = new AbortController();
		const joined = memory.once({ ...first.call, signal: stop.signal });
		const late = memory.once({ ...first.call, signal: AbortSignal.abort() });
		stop.abort();
		expect(await joined).toMatchObject({ outcome: unknown, repeated: true, state: { attempts: 0, startedAt: 0 } });
		expect(await late).toMatchObject({ outcome: unknown });
		first.end();
		expect(await owner).toMatchObject({ outcome: accepted });
		const patient = request(accepted, { key: 'other' });
		const own = memory.once(patient.call);
		const { signal } = new AbortController();
		const shared = memory.once({ ...patient.call, signal });
		patient.end();
		expect(await Promise.all([own, shared])).toMatchObject([{ outcome: accepted }, { outcome: accepted }]);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('refuses every caller that joined a refused run', async () => {
		const memory = createInFlightIntents();
		const first = request(refused);
		const calls = [memory.once(first.call), memory.once(first.call)];
		first.end();
		expect(await Promise.all(calls)).toMatchObject([{ outcome: refused }, { outcome: refused, repeated: true }]);
		expect(first.runs()).toBe(1);
	});

	it.each([accepted, unknown])(
		'answers %j to a caller who knew of an earlier run and joined, without another run',
		async (end) => {
			const memory = createInFlightIntents();
			const first = request(end);
			const calls = [memory.once(first.call), memory.once({ ...first.call, repeated: true })];
			first.end();
			expect(await calls[1]).toMatchObject({ outcome: end, repeated: true });
			expect(first.runs()).toBe(1);
		},
	);

	it.each<[Outcome['is'], Outcome, boolean, Outcome]>([
		['stopped', { is: 'stopped' }, false, unknown],
		['refused', refused, true, unknown],
		['refused', refused, false, refused],
	])('tells who was %s of the intent, which another caller may go on with', async (_, end, repeated, told) => {
		const memory = createInFlightIntents();
		const first = request(end);
		const run = () => Promise.resolve({ outcome: accepted, state: newIntent(7) });
		const stopped = memory.once(first.call);
		const joined = memory.once({ ...first.call, run, repeated });
		first.end();
		expect((await stopped).outcome).toEqual(told);
		expect((await joined).outcome).toEqual(told === unknown ? accepted : refused);
	});

	it('tells a stopped caller that nothing was sent where all who joined it were stopped too', async () => {
		const memory = createInFlightIntents();
		const first = request({ is: 'stopped' });
		const stop = new AbortController();
		const stopped = memory.once({ ...first.call, signal: stop.signal });
		const joined = memory.once({ ...first.call, signal: stop.signal });
		stop.abort();
		first.end();
		expect((await stopped).outcome).toEqual({ is: 'stopped' });
		expect((await joined).outcome).toEqual(unknown);
	});

	it('frees the name of an intent that was stopped before sending', async () => {
		const memory = createInFlightIntents();
		await ended(memory, { is: 'stopped' });
		expect(memory.knows('key')).toBe(false);
		expect(await ended(memory, accepted, { digest: 'other' })).toMatchObject({ outcome: accepted });
	});

	it('records what a background lookup tells of an intent it does not know', () => {
		const memory = createInFlightIntents();
		expect(memory.conclude('key', 'digest', { outcome: order('order-1'), state: newIntent(0) })).toBe(true);
		expect(memory.ownerOf('order-1')).toBe('key');
	});

	describe('that were accepted and are looked at again', () => {
		const again = async (match: 'exists' | 'gone' | 'unclear') => {
			const memory = createInFlightIntents();
			await ended(memory, order('order-1'));
			const looks: unknown[] = [];
			const earlier: unknown[] = [];
			const recheck: IntentRequest['recheck'] = (end) => (looks.push(end.outcome), Promise.resolve(match));
			const run: IntentRequest['run'] = (state) => (
				earlier.push(state),
				Promise.resolve({ outcome: order('order-2'), state: newIntent(0) })
			);
			const calls = [0, 1].map(() => memory.once(request(accepted, { recheck, run }).call));
			const results = (await Promise.all(calls)).map(({ outcome, repeated }) => ({ outcome, repeated }));
			return { results, looks, earlier, owner: memory.ownerOf('order-1') };
		};
		const first = { outcome: order('order-1'), repeated: true };

		it('answers an accepted intent again while its order exists', async () => {
			const { results, looks, earlier } = await again('exists');
			expect(results).toEqual([first, first]);
			expect(looks).toEqual([order('order-1'), order('order-1')]);
			expect(earlier).toEqual([]);
		});

		it('places an accepted intent anew, once, where its order is gone', async () => {
			const { results, earlier, owner } = await again('gone');
			expect(results).toEqual([
				{ outcome: order('order-2'), repeated: false },
				{ outcome: order('order-2'), repeated: true },
			]);
			expect({ earlier, owner }).toEqual({ earlier: [undefined], owner: undefined });
		});

		it('uses the first recheck of an accepted intent, however late another one ends', async () => {
			const memory = createInFlightIntents();
			await ended(memory, order('order-1'));
			const anew = request(order('order-2'), { recheck: () => Promise.resolve('gone') });
			const late = new Promise<'gone'>((resolve) => void setImmediate(() => resolve('gone')));
			const calls = [anew.call, { ...anew.call, recheck: () => late }].map(memory.once);
			await late;
			await new Promise(setImmediate);
			anew.end();
			expect(await Promise.all(calls)).toMatchObject([{ repeated: false }, { repeated: true }]);
			expect(anew.runs()).toBe(1);
		});

		it('answers an accepted intent from memory where its order cannot be read', async () => {
			const { results, earlier } = await again('unclear');
			expect(results.map(({ outcome }) => outcome)).toEqual([order('order-2'), order('order-2')]);
			expect(earlier).toEqual([newIntent(7)]);
		});
	});
});

describe('an intent an earlier run left without an outcome', () => {
	it('resumes an unknown intent of an earlier run with its last send time and the reason for the doubt', () => {
		const error = new ExchangeError('timeout', { what: 'No answer came' });
		const previous = newIntent(1, { attempts: 3, lastAttemptAt: 5, error, lookups: 4, sendsNoMore: 'refused' });
		expect(resumeState(previous, 9)).toEqual(newIntent(9, { earlier: true, lastAttemptAt: 5, error }));
	});
});
