import { keysOf } from '../../packages/node-red/src/delivery/messages';
import { recordCopy } from '../../packages/node-red/src/host/record';

/** A flow may change the messages it receives; the copy kept for redelivery must not change. */
describe('a copy of a payload', () => {
	const text = '{"a":"1.50","list":[{"b":[null,true,-2]},[]],"nested":{"c":{"d":""}},"__proto__":{"e":{"f":1}}}';

	it('a copied payload holds the same values', () => {
		expect(JSON.stringify(recordCopy(JSON.parse(text)))).toBe(text);
		for (const value of [null, 'text', 7, false]) expect(recordCopy(value)).toBe(value);
	});

	it('a copied payload shares nothing that could be changed', () => {
		const original = JSON.parse(text) as object;
		const change = (value: unknown): void => {
			if (value === null || typeof value !== 'object') return;
			for (const inner of Object.values(value)) change(inner);
			Object.assign(value, { changed: true });
		};
		change(recordCopy(original));
		expect(JSON.stringify(original)).toBe(text);
		expect(({} as { e?: unknown }).e).toBeUndefined();
	});
});

const carried = (eventKey: string) => ({ eventKey });

describe('a message that came back', () => {
	it.each<[string, unknown, string[]]>([
		['one event', carried('a'), ['a']],
		['a batch', [carried('a'), carried('b')], ['a', 'b']],
		['batches that were joined', [[carried('a')], [carried('b'), carried('c')]], ['a', 'b', 'c']],
		['nothing that is an event', [null, 'a', { eventKey: 1 }], []],
		['nothing', undefined, []],
	])('a returned message acknowledges %s', (_, event, expected) => {
		expect(keysOf({ event })).toEqual(expected);
	});
});
