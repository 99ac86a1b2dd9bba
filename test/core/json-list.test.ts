import fc from 'fast-check';
import { parseExactly } from '../../packages/core/src/wire/json';
import { parseEach } from '../../packages/core/src/wire/json-list';

afterEach(() => jest.restoreAllMocks());

/** What each text is by itself. */
const alone = (texts: readonly string[]): unknown[] =>
	texts.map((text) => {
		try {
			return parseExactly(text);
		} catch {
			return undefined;
		}
	});

describe('several JSON texts', () => {
	it('parses several texts of flat records at once', () => {
		const parse = jest.spyOn(JSON, 'parse');
		const texts = ['{"id":"a","price":"1.50","sequence":7}', '{}', '{"text":"a } and a ] inside, \\" too"}'];
		const [list, others] = [1, 1];
		expect(parseEach(['null', ...texts])).toEqual([
			null,
			{ id: 'a', price: '1.50', sequence: 7 },
			{},
			{ text: 'a } and a ] inside, " too' },
		]);
		expect(parse).toHaveBeenCalledTimes(list + others);
	});

	it.each([
		['none', []],
		['one', ['{"a":1.50}']],
		['records with lists and records in them', ['{"a":1}', '{"a":[1.50]}', '{"a":{"b":2}}', '{"a":3}']],
		['values of other kinds', ['1', '{"a":1}', 'null', '"x"', '{"a":2}', '[]']],
		['a number that would lose digits among others', ['{"a":1}', '{"a":1.50}', '{"a":12345678901234567890}']],
		['the same with spaces', ['{"a":1}', '{"a" : 1.50}']],
		['names that come twice, and odd ones', ['{"a":1,"a":2}', '{"__proto__":1}', '{"constructor":1}']],
		[
			'what is nested too deeply',
			[`{"a":${'['.repeat(64)}${']'.repeat(64)}}`, `{"a":${'['.repeat(63)}${']'.repeat(63)}}`],
		],
		['one that is invalid among others', ['{"a":1}', '{"a":}', '{"a":2}']],
	])('parses several texts as it parses each alone: %s', (_, texts) => {
		expect(parseEach(texts)).toEqual(alone(texts));
	});

	it.each([
		['in a list', ['{"a":[{}', '{}]}', '{},{}']],
		['in a record', ['{"a":{"b":{}', '"c":{}}}', '{},{}']],
		['in a string', ['{"a":"', '"}', '{"b":"},{"}', '{}']],
		['in a string, with another value in its place', ['{"a":"', '{"},2']],
		['in a string, with another record in its place', ['{"a":"', '{"},{}']],
		['as an end of the list', ['{}],[', '{}']],
		['as nothing', ['{},', '', '{}']],
	])('refuses texts that are valid only together: %s', (_, texts) => {
		expect(parseEach(texts)).toEqual(alone(texts));
		expect(alone(texts)).toContain(undefined);
	});

	it('parses any texts as it parses each alone', () => {
		const piece = fc.constantFrom(
			...['{', '}', '[', ']', '"', ',', ':', '\\', ' ', '1', '1.50', 'null', '"a"', '"a":'],
			...['{}', '{"a":1}', '{"a":"', '"}', '},{', '{"a":{', '{"a":[', ',"b":2', '\ufffd', '__proto__'],
		);
		const text = fc.oneof(
			{ weight: 1, arbitrary: fc.constant('{"a":1}') },
			{ weight: 3, arbitrary: fc.array(piece, { maxLength: 4 }).map((pieces) => `{${pieces.join('')}`) },
			{ weight: 1, arbitrary: fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')) },
		);
		fc.assert(
			fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
				expect(parseEach(texts)).toEqual(alone(texts));
			}),
			{ seed: 1, numRuns: 20_000 },
		);
	});
});
