import { createAccountMemory } from '@partner-exchange/core';
import { accepted, request, ended, order, refused, unknown } from './intent-request';
import { BACKGROUND_LOOKUPS_MAX, createBackgroundLookups } from '../../../packages/core/src/orders/background-lookups';

describe('the memory of a process for its intents', () => {
	it('lists intents that are in flight or unknown, and none that are over', async () => {
		const memory = createAccountMemory();
		await ended(memory, unknown, { key: 'unknown' });
		await ended(memory, accepted, { key: 'accepted' });
		await ended(memory, refused, { key: 'refused' });
		const running = request(accepted, { key: 'running' });
		const end = memory.once(running.call);
		expect(memory.open()).toEqual([
			{ key: 'unknown', isRunning: false },
			{ key: 'running', isRunning: true },
		]);
		expect(['unknown', 'accepted', 'refused', 'running', 'never'].map(memory.isOpen)).toEqual([
			...[true, false, false, false, false],
		]);
		expect(['unknown', 'accepted', 'refused', 'running', 'never'].map(memory.knows)).toEqual([
			...[true, true, false, true, false],
		]);
		running.end();
		await end;
	});

	it('forgets the oldest intent beyond its limit, but none in flight', async () => {
		const memory = createAccountMemory(2);
		const running = request(accepted, { key: 'running' });
		const end = memory.once(running.call);
		for (const number of [1, 2, 3]) await ended(memory, order(`order-${number}`), { key: `key-${number}` });
		expect(['running', 'key-1', 'key-2', 'key-3'].map(memory.knows)).toEqual([true, false, false, true]);
		expect(['order-1', 'order-2', 'order-3'].map(memory.ownerOf)).toEqual([undefined, undefined, 'key-3']);
		running.end();
		await end;
	});

	it('forgets no intent of unknown outcome, however many others come after it', async () => {
		const memory = createAccountMemory(20);
		await ended(memory, unknown, { key: 'unknown' });
		for (let number = 0; number < 200; number += 1)
			await ended(memory, order(`order-${number}`), { key: `key-${number}` });
		expect(memory.isOpen('unknown')).toBe(true);
		expect(memory.knows('key-0')).toBe(false);
	});

	it('refuses another order where as many are of unknown outcome as it remembers, and says so', async () => {
		const memory = createAccountMemory(2);
		for (const key of ['a', 'b', 'c']) await ended(memory, unknown, { key });
		expect(await ended(memory, accepted, { key: 'd' })).toMatchObject({
			outcome: { is: 'refused', error: { code: 'limit_reached' } },
		});
		await ended(memory, accepted, { key: 'a' });
		await ended(memory, accepted, { key: 'd' });
		expect(['a', 'b', 'c', 'd'].map(memory.isOpen)).toEqual([false, true, true, false]);
	});

	it('attributes an order to its newest intent, whichever intent is forgotten first', async () => {
		const memory = createAccountMemory(2);
		await ended(memory, order('order-1'), { key: 'first' });
		await ended(memory, order('order-1'), { key: 'second' });
		await ended(memory, order('order-2'), { key: 'third' });
		expect(memory.knows('first')).toBe(false);
		expect(memory.ownerOf('order-1')).toBe('second');
		expect(memory.ownerOf('order-2')).toBe('third');
	});
});

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the lookups in the background', () => {
	it('looks for a hundred orders at once, for the others in their turn, and for no order twice', async () => {
		const lookups = createBackgroundLookups();
		let running = 0;
		let most = 0;
		const begun: string[] = [];
		const open: (() => void)[] = [];
		const add = (key: string): void =>
			lookups(key, () => {
				begun.push(key);
				most = Math.max(most, (running += 1));
				return new Promise<void>((resolve) => open.push(resolve)).then(() => void (running -= 1));
			});
		const keys = Array.from({ length: BACKGROUND_LOOKUPS_MAX + 20 }, (_, number) => `order ${number}`);
		for (const key of [...keys, keys[0]!, keys.at(-1)!]) add(key);
		expect(begun).toHaveLength(BACKGROUND_LOOKUPS_MAX);
		while (open.length > 0) {
			open.shift()!();
			await turn();
		}
		expect(begun).toEqual(keys);
		expect(most).toBe(BACKGROUND_LOOKUPS_MAX);
	});
});
