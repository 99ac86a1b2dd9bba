import { ALIAS, fingerprint } from '../../../../packages/core/src/stream/ledger/fingerprint';
import { createFingerprintSet } from '../../../../packages/core/src/stream/ledger/fingerprint-set';

/** Numbers that look random and are the same in every run. */
function createDraw(seed: number): (bound: number) => number {
	let state = seed;
	return (bound) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * bound);
	};
}

describe('a set of fingerprints', () => {
	it('a set of fingerprints holds what a set of texts holds, however it grows and shrinks', () => {
		const draw = createDraw(7);
		const [set, model] = [createFingerprintSet(), new Set<string>()];
		const play = (adds: number): void => {
			const print = fingerprint(`fill:${draw(20_000)}`);
			const name = draw(5) === 0 ? ALIAS + print.slice(1) : print;
			expect(set.has(name)).toBe(model.has(name));
			if (draw(10) < adds) {
				set.add(name);
				model.add(name);
			} else {
				set.delete(name);
				model.delete(name);
			}
			expect(set.size()).toBe(model.size);
		};
		for (const adds of [9, 2, 6, 0]) for (let step = 0; step < 20_000; step += 1) play(adds);
		for (let number = 0; number < 20_000; number += 1) {
			const print = fingerprint(`fill:${number}`);
			for (const name of [print, ALIAS + print.slice(1)]) expect(set.has(name)).toBe(model.has(name));
		}
	});

	it('a set of fingerprints tells those of the same slot apart, also where one of them is removed', () => {
		const set = createFingerprintSet();
		// The last letters name the slot.
		const prints = ['A', 'B', 'C', 'D'].map((letter) => `${letter}AAAAAAAA_`);
		for (const print of prints) set.add(print);
		set.delete(prints[1]!);
		expect(prints.map(set.has)).toEqual([true, false, true, true]);
		expect(set.has(`${ALIAS}AAAAAAAA_`)).toBe(false);
	});

	it('a set of fingerprints holds the one whose bits are all zero', () => {
		const set = createFingerprintSet();
		expect(set.has('AAAAAAAAAA')).toBe(false);
		set.add('AAAAAAAAAA');
		expect([set.has('AAAAAAAAAA'), set.size()]).toEqual([true, 1]);
	});
});
