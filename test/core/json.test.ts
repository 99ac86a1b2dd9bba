import fc from 'fast-check';
import { DEPTH_MAX, isTooDeep, parseExactly } from '../../packages/core/src/wire/json';

describe('parseExactly', () => {
	it('leaves amounts in quotes as they are written, with their scale', () => {
		expect(parseExactly('{"price":"1500.00","quantity":"0.10"}')).toEqual({ price: '1500.00', quantity: '0.10' });
	});

	it.each([
		['1500.00', '1500.00'],
		['0.1000', '0.1000'],
		['12345678901234567890.12', '12345678901234567890.12'],
		['9007199254740993', '9007199254740993'],
		['1.0e3', '1.0e3'],
	])('keeps the number %s as the text it came as, and marks it', (number, text) => {
		const stored: string[] = [];
		expect(parseExactly(`{"price":${number}}`, (name) => stored.push(name))).toEqual({ price: text });
		expect(stored).toEqual(['price']);
	});

	it.each(['quantity', 'QUANTITY', 'FilledQuantity', 'AVG_FILL_PRICE', 'Available'])(
		'keeps a whole number as text under the name of an amount in any case: %s',
		(name) => {
			expect(parseExactly(`{"${name}":10}`)).toEqual({ [name]: '10' });
		},
	);

	it.each(['0.1', '17', '-3', '0'])('leaves the number %s, which JavaScript writes the same', (number) => {
		expect(parseExactly(`[${number}]`)).toEqual([Number(number)]);
	});

	it.each(['[', '{"a":'])('parses 64 levels of %s, and refuses one more before parsing', (open) => {
		const close = open === '[' ? ']' : '}';
		const nested = (levels: number) => open.repeat(levels) + (open === '[' ? '' : '1') + close.repeat(levels);
		expect(() => parseExactly(nested(64))).not.toThrow();
		for (const levels of [65, 5_000, 1_000_000])
			expect(() => parseExactly(nested(levels))).toThrow('nested too deeply');
	});

	it('counts no bracket inside a text, and no bracket that only closes', () => {
		const texts = ['['.repeat(200), `${'\\"['.repeat(100)}`, `${'\\\\'.repeat(50)}`];
		for (const text of texts) expect(() => parseExactly(`{"a":"${text}","b":[1.50]}`)).not.toThrow();
		expect(() => parseExactly(`${'["]",'.repeat(100)}1${']'.repeat(100)}`)).toThrow('nested too deeply');
		expect(() => parseExactly(`${'["\\\\]\\"]",'.repeat(100)}1${']'.repeat(100)}`)).toThrow('nested too deeply');
	});

	it('counts how deep a JSON text nests as a parser does', () => {
		fc.assert(
			fc.property(fc.json({ maxDepth: 8 }), fc.nat(80), (text, levels) => {
				const depthOf = (value: unknown): number =>
					typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
				const wrapped = '['.repeat(levels) + text + ']'.repeat(levels);
				expect(isTooDeep(wrapped)).toBe(depthOf(JSON.parse(wrapped)) > DEPTH_MAX);
			}),
			{ seed: 1, numRuns: 1_000 },
		);
	});

	it('reads what JSON.parse reads and refuses what it refuses, with every number as it is written', () => {
		const pieces = fc.constantFrom(
			...'0123456789.eE+-"\\,:[]{} ',
			'1.50',
			'9007199254740993',
			':1.50',
			'{2.50:',
			'"a":',
			'\\"',
		);
		const leavesOf = (value: unknown): string[] =>
			typeof value === 'object' && value !== null
				? Object.entries(value).flatMap(([name, inner]) => [name, ...leavesOf(inner)])
				: [String(Number(value))];
		fc.assert(
			fc.property(fc.json(), fc.nat(), fc.array(pieces, { maxLength: 6 }), (json, at, more) => {
				const from = at % (json.length + 1);
				const text = json.slice(0, from) + more.join('') + json.slice(from);
				let expected: unknown;
				try {
					expected = JSON.parse(text);
				} catch {
					expect(() => parseExactly(text)).toThrow(SyntaxError);
					return;
				}
				expect(leavesOf(parseExactly(text))).toEqual(leavesOf(expected));
			}),
			{ seed: 1, numRuns: 5_000 },
		);
	});

	it('looks once through a text that is cut, however many quotes it has', () => {
		expect(() => parseExactly(`{"a":1.50,"b":"${'\\"'.repeat(400_000)}`)).toThrow(SyntaxError);
	});

	it('keeps a text that looks like a number a text', () => {
		expect(parseExactly('{"text":": 1.50, [2.50"}')).toEqual({ text: ': 1.50, [2.50' });
	});
});

afterEach(() => jest.restoreAllMocks());
