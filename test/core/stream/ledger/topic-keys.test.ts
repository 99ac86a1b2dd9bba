import { ALIAS, fingerprint } from '../../../../packages/core/src/stream/ledger/fingerprint';
import { addPrints, dropAll, hasPrint, indexOf } from '../../../../packages/core/src/stream/ledger/key-index';
import { addKeys, forgetKeys, type KeyLog } from '../../../../packages/core/src/stream/ledger/keys';
import { addKey, BLOCK, noTopicKeys, numberOf } from '../../../../packages/core/src/stream/ledger/topic-keys';

/** Numbers that look random and are the same in every run. */
function createDraw(seed: number): (bound: number) => number {
	let state = seed;
	return (bound) => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * bound);
	};
}

describe('the keys of a topic', () => {
	it('the keys of a topic tell each subscriber what a set of its own would, however many come and leave', () => {
		const [draw, all] = [createDraw(7), noTopicKeys()];
		const some = () => ({ index: indexOf({ chunks: [] }, all), model: new Set<string>() });
		const subscribers = Array.from({ length: 4 }, some);
		const drawn = (): string => {
			const print = fingerprint(`fill:${draw(20_000)}`);
			return draw(5) === 0 ? ALIAS + print.slice(1) : print;
		};
		const wrong: string[] = [];
		for (let step = 0; step < 60_000; step += 1) {
			const { index, model } = subscribers[draw(4)]!;
			const print = drawn();
			if (hasPrint(index, print) !== model.has(print)) wrong.push(print);
			addPrints(index, [print], step);
			if (index.count !== model.add(print).size) wrong.push(print);
			if (draw(3_000) > 0) continue;
			dropAll(index);
			subscribers[subscribers.findIndex((each) => each.index === index)] = some();
		}
		for (const { index, model } of subscribers)
			for (let number = 0; number < 20_000; number += 1) {
				const print = fingerprint(`fill:${number}`);
				for (const name of [print, ALIAS + print.slice(1)])
					if (hasPrint(index, name) !== model.has(name)) wrong.push(name);
			}
		expect(wrong).toEqual([]);
	});

	it('the keys of a topic are kept once for all subscribers, and as long as one of them has them', () => {
		const all = noTopicKeys();
		const prints = Array.from({ length: 3 * BLOCK }, (_, number) => fingerprint(`fill:${number}`));
		const [first, second] = [indexOf({ chunks: [] }, all), indexOf({ chunks: [] }, all)];
		for (const index of [first, second]) addPrints(index, prints, undefined);
		expect(all.size).toBe(3 * BLOCK);
		dropAll(first);
		expect([all.size, hasPrint(first, prints[0]!), hasPrint(second, prints[0]!)]).toEqual([3 * BLOCK, false, true]);
		dropAll(second);
		expect(all).toEqual(noTopicKeys());
	});

	it('the keys of a topic use the numbers again that nobody needs', () => {
		const all = noTopicKeys();
		const lasting = indexOf({ chunks: [] }, all);
		addPrints(lasting, ['lasting---'], undefined);
		for (let round = 0; round < 50; round += 1) {
			const index = indexOf({ chunks: [] }, all);
			for (let number = 0; number < 2 * BLOCK; number += 1) addPrints(index, [fingerprint(`${round}:${number}`)], 1);
			dropAll(index);
		}
		expect(all.holders.length).toBeLessThanOrEqual(4);
		expect([all.size <= 2 * BLOCK, hasPrint(lasting, 'lasting---')]).toEqual([true, true]);
	});

	it('the keys of a topic are stored as the same texts by all subscribers, wherever each began', () => {
		const all = noTopicKeys();
		const prints = Array.from({ length: 30_000 }, (_, number) => fingerprint(`fill:${number}`));
		addPrints(indexOf({ chunks: [] }, all), prints, undefined);
		const stored = (from: number): KeyLog => {
			const log: KeyLog = { chunks: [], all };
			for (const print of prints.slice(from)) addKeys(log, print, undefined);
			return log;
		};
		const [first, second] = [stored(0), stored(111)];
		const texts = new Set(first.chunks.map(([text]) => text));
		const different = second.chunks.filter(([text]) => !texts.has(text));
		expect(different.length).toBeLessThan(second.chunks.length / 2);
		expect(all.texts.size).toBeLessThan(first.chunks.length + different.length + 1);
		for (const log of [first, second]) forgetKeys(log, undefined, { min: 0, max: 200 });
		expect(all.texts.size).toBeLessThanOrEqual(1);
	});

	it('the keys of a topic tell fingerprints of the same slot apart, and know the one whose bits are all zero', () => {
		const all = noTopicKeys();
		// The last letters name the slot.
		const prints = ['A', 'B', 'C', 'D'].map((letter) => `${letter}AAAAAAAA_`);
		expect(prints.map((print) => addKey(all, print))).toEqual([0, 1, 2, 3]);
		expect(prints.map((print) => numberOf(all, print))).toEqual([0, 1, 2, 3]);
		expect([numberOf(all, `${ALIAS}AAAAAAAA_`), numberOf(all, 'AAAAAAAAAA')]).toEqual([-1, -1]);
		expect([addKey(all, 'AAAAAAAAAA'), numberOf(all, 'AAAAAAAAAA')]).toEqual([4, 4]);
	});
});
