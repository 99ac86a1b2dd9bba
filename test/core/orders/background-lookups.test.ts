import {
	BACKGROUND_LOOKUPS_MAX,
	createBackgroundLookups,
	WAITING_MAX,
} from '../../../packages/core/src/orders/background-lookups';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the lookups in the background', () => {
	it('looks for a hundred orders at once, for the others in their turn, and for no order twice', async () => {
		const lookups = createBackgroundLookups();
		let running = 0;
		let most = 0;
		const begun: string[] = [];
		const open: (() => void)[] = [];
		const add = (key: string): void =>
			lookups.add(key, () => {
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

	it('goes on with the next order when a lookup fails', async () => {
		const lookups = createBackgroundLookups();
		const begun: number[] = [];
		for (let number = 0; number < BACKGROUND_LOOKUPS_MAX + 1; number += 1)
			lookups.add(`order ${number}`, () => Promise.reject(new Error(`lookup ${begun.push(number)} failed`)));
		await turn();
		expect(begun).toHaveLength(BACKGROUND_LOOKUPS_MAX + 1);
	});

	it('lets no more orders wait than a process remembers', async () => {
		const lookups = createBackgroundLookups();
		let begun = 0;
		let release: () => void = () => undefined;
		const pending = new Promise<void>((resolve) => (release = resolve));
		for (let number = 0; number < BACKGROUND_LOOKUPS_MAX + WAITING_MAX + 10; number += 1)
			lookups.add(`order ${number}`, () => ((begun += 1), pending));
		release();
		while (begun < BACKGROUND_LOOKUPS_MAX + WAITING_MAX) await turn();
		await turn();
		expect(begun).toBe(BACKGROUND_LOOKUPS_MAX + WAITING_MAX);
	});
});
