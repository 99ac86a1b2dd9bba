import type { Field } from '@partner-exchange/core/catalogue';
import { acceptValue, readBoolean } from '../../packages/core/src/input/value';
import { instantOf } from '../../packages/core/src/wire/payload';

const field = (kind: Field['kind'], more: Partial<Field> = {}): Field => ({ kind, label: 'Field', help: '', ...more });

const report = (verdict: ReturnType<typeof acceptValue>): unknown =>
	'value' in verdict ? verdict.value : `refused: ${verdict.reason}`;

const LONG = 'x'.repeat(2_001);

describe('a value that is given', () => {
	it.each<[Field, unknown, unknown]>([
		[field('decimal'), ' 1.50 ', '1.50'],
		[field('decimal'), 2, '2'],
		[field('integer'), ' 12 ', 12],
		[field('integer', { min: 1 }), 1, 1],
		[field('integer', { min: 0 }), '0', 0],
		[field('boolean'), 'true', true],
		[field('boolean'), 'false', false],
		[field('boolean'), true, true],
		[field('choice', { values: ['limit', 'POST_ONLY'] }), ' Post-Only ', 'POST_ONLY'],
		[field('choice', { values: ['1m', '1M'] }), '1M', '1M'],
		[field('choice', { values: ['1m', '1M'] }), ' 1m ', '1m'],
		[field('choices', { values: ['a', 'b'] }), 'a, B', ['a', 'b']],
		[field('choices', { values: ['a', 'b'] }), ['b'], ['b']],
		[field('choices', { values: ['a'], mayHoldOthers: true }), 'a, other.name ', ['a', 'other.name']],
		[field('timestamp'), ' 2026-01-31T00:00:00Z ', '2026-01-31T00:00:00.000Z'],
		[field('timestamp'), new Date(0), '1970-01-01T00:00:00.000Z'],
		[field('timestamp'), 1_769_817_600_000, '2026-01-31T00:00:00.000Z'],
		[field('json'), '{"a":1}', { a: 1 }],
		[field('json'), { a: 1 }, { a: 1 }],
		[field('json'), JSON.stringify({ a: 'x'.repeat(65_528) }), { a: 'x'.repeat(65_528) }],
		[field('id'), ' order_1-A ', 'order_1-A'],
		[field('id'), 7, '7'],
		[field('id'), 'x'.repeat(128), 'x'.repeat(128)],
		[field('text'), ' a ', ' a '],
		[field('text'), 7, '7'],
		[field('text'), LONG.slice(1), LONG.slice(1)],
		[field('text', { maxLength: 3 }), 'abc', 'abc'],
		[field('text', { names: 'body' }), 'Ægir', 'Ægir'],
		[field('text', { names: 'header' }), 'a b~', 'a b~'],
		[field('text', { pick: 'pair' }), ' USD/NGN', ' USD/NGN'],
		[field('text', { pick: 'pair' }), 'USDNGN', 'USDNGN'],
	])('accepts for %j the value %j', (kind, text, value) => {
		expect(report(acceptValue(kind, text))).toEqual(value);
	});

	it.each<[Field, unknown, RegExp]>([
		[field('decimal'), '0.00', /must be greater than zero/],
		[field('decimal'), '1,000', /without separators/],
		[field('integer'), '12a', /whole number/],
		[field('integer'), 'a12', /whole number/],
		[field('integer'), 1.5, /whole number/],
		[field('integer'), null, /whole number/],
		[field('integer', { min: 1 }), 0, /at least 1/],
		[field('boolean'), 1, /true or false, and 1 is neither/],
		[field('boolean'), null, /and null is neither/],
		[field('boolean'), [], /and a list is neither/],
		[field('boolean'), {}, /and an object is neither/],
		[field('boolean'), undefined, /and undefined is neither/],
		[field('boolean'), 'x'.repeat(60), /and "x{39}… is neither/],
		[field('choice', { values: ['1m', 'a'] }), '1M', /one of 1m, a, not "1M"/],
		[field('choice', { values: ['a'] }), 7, /one of a, not 7/],
		[field('choices', { values: ['a', 'b'] }), 'a, c', /one or more of a, b, not " c"/],
		[field('choices', { values: ['a'] }), 7, /one or more of a, not 7/],
		[field('choices', { values: ['a'] }), [], /must name at least one/],
		[field('choices', { values: ['a'], mayHoldOthers: true }), 'b c', /not "b c"/],
		[field('choices', { values: ['a'], mayHoldOthers: true }), ['x'.repeat(65)], /not "x/],
		[field('timestamp'), 'soon', /is not a time/],
		[field('timestamp'), {}, /is not a time/],
		[field('timestamp'), new Date(Number.NaN), /is not a time/],
		[field('timestamp'), 1e300, /is not a time/],
		[field('json'), '{', /is not valid JSON/],
		[field('json'), '[1]', /must be a JSON object/],
		[field('json'), 'null', /must be a JSON object/],
		[field('json'), '7', /must be a JSON object/],
		[field('json'), 7n, /cannot be written as JSON/],
		[field('json'), () => 1, /cannot be written as JSON/],
		[field('json'), JSON.stringify({ a: 'x'.repeat(65_529) }), /longer than 65536/],
		[field('id'), '..', /must be an identifier/],
		[field('id'), 'a b', /must be an identifier/],
		[field('id'), 'x'.repeat(129), /must be an identifier/],
		[field('id'), { toString: () => 'a' }, /must be an identifier/],
		[field('text'), true, /must be text/],
		[field('text'), LONG, /longer than 2000/],
		[field('text', { maxLength: 3 }), 'abcd', /longer than 3/],
		[field('text'), 'a\nb', /line breaks/],
		[field('text'), 'a\u007f', /line breaks/],
		[field('text', { names: 'body' }), 'a\u200bb', /invisible characters/],
		[field('text', { names: 'header' }), 'Ægir', /printable ASCII/],
		[field('text', { pick: 'pair' }), '../x', /pair of codes/],
		[field('text', { pick: 'pair' }), `${'x'.repeat(61)}/NGN`, /pair of codes/],
	])('refuses for %j the value %j', (kind, value, reason) => {
		expect(report(acceptValue(kind, value))).toMatch(reason);
	});

	it.each([
		[' Yes ', 'true'],
		['1', 'true'],
		[1, 'true'],
		['OFF', 'false'],
		[0, 'false'],
		['maybe', undefined],
		[[], undefined],
	])('suggests for %j the switch %s', (value, nearest) => {
		const verdict = readBoolean(value);
		expect('reason' in verdict && verdict.nearest).toBe(nearest);
	});

	it.each(['invoice 7 ', ' invoice 7', 'invoice  7', 'invoice\u00a07', 'invoice 7\r\n', '\tinvoice 7'])(
		'takes %j for the one name that a person sees',
		(text) => {
			for (const names of ['body', 'header'] as const)
				expect(acceptValue(field('text', { names }), text)).toEqual({ value: 'invoice 7' });
		},
	);

	it.each([
		...['inv-undefined', 'undefined', 'row null', 'NaN', 'inv-[object Object]', 'Invalid Date', '#N/A', 'inv-#REF!'],
		...['inv-None', 'inv NULL', 'nan', '[object Promise]', '#SPILL!', 'inv #VALEUR!', '#¡VALOR!', '#NV', 'Loading...'],
		...['{{ $json.id }}', 'inv-{{id}}', '={{ $json.id }}', 'inv-${id}'],
	])('refuses the name %j, which every row has whose own is missing', (text) => {
		for (const names of ['body', 'header'] as const)
			expect(report(acceptValue(field('text', { names }), text))).toMatch(
				/what a program writes where nothing was found/,
			);
		expect(report(acceptValue(field('id'), text))).toMatch(/^refused/);
	});

	it.each([
		...['inv-', 'Invoice #', 'order:', '-', '—', '()'],
		...['inv ', 'Invoice no. ', '2026/', '2026-11/', 'INV 2026-', 'INV2026-', 'inv-7-', 'inv #', 'Rent/2026-11-29/ '],
		...['-usd', '-2026', 'inv--usd', 'inv--2026', 'INV7--USD', '--7'],
	])('refuses the name %j, of which n8n found a part only', (text) => {
		expect(report(acceptValue(field('text', { names: 'body' }), text))).toMatch(/a part of it was not found/);
	});

	it.each(['1.23457E+9', '1,23457E+09', '1E+15'])('refuses %j, in which a sheet has shortened a number', (text) => {
		for (const names of ['body', undefined] as const)
			expect(report(acceptValue(field('text', { names }), text))).toMatch(
				/may already be another one than was written/,
			);
	});

	it.each([
		'annulled-7',
		'NaNcy',
		'Null & Sons',
		'undefined7',
		'inv-#7',
		'V1StGXR8_Z5jdHi6B-',
		'Smith & Co.',
		'dQw4w9WgXcQ_',
		'dGVzdA==',
		'-B3x9Zq7-k2',
		'Fund A -- rent',
		'/orders/7',
		'a-b-7',
		'Rent (November 2026)',
		'Invoice #-7',
		'https://shop.example/order/7',
		'Nancy 7',
		'#7!',
		'7E5',
		'{7}',
	])('takes the name %j', (text) => {
		expect(acceptValue(field('text', { names: 'body' }), text)).toEqual({ value: text });
	});

	it.each([
		['an object without a text', Object.create(null) as unknown],
		['an object that calls itself yes', { toString: () => 'yes' }],
	])('refuses %s for a switch in words', (_, value) => {
		expect(readBoolean(value)).toEqual({ reason: 'must be true or false, and an object is neither' });
	});

	it.each(['1e3', '12abc', '1 2', '１２'])('refuses %j as a whole number', (value) => {
		expect(acceptValue(field('integer'), value)).toEqual({ reason: 'must be a whole number' });
	});
});

const AT = Date.UTC(2026, 0, 5, 9);

describe('a time', () => {
	it.each<[string, unknown]>([
		['in seconds', AT / 1_000],
		['in milliseconds', AT],
		['in microseconds', AT * 1_000],
		['in nanoseconds', AT * 1_000_000],
		['in nanoseconds as text', `${AT}000000`],
		['as text with a zone', '2026-01-05T10:00:00+01:00'],
		['as text without a zone, which counts as UTC', '2026-01-05 09:00:00'],
	])('reads the time %s', (_, value) => {
		expect(instantOf(value)).toBe(AT);
	});

	it.each(['05/02/2026 09:00', '5.2.2026', '05-02-26', '05/02/2026 09:00Z', ' 5 / 2 / 2026'])(
		'takes %j for none, because it does not say which is the day',
		(text) => expect(instantOf(text)).toBeUndefined(),
	);

	it('reads a date that says its month by name', () => {
		for (const text of ['Mon, 05 Jan 2026 09:00:00 GMT', '5 Jan 2026 09:00 UTC']) expect(instantOf(text)).toBe(AT);
	});

	it('keeps the fraction of a time in seconds to the millisecond', () => {
		expect(instantOf(AT / 1_000 + 0.1234)).toBe(AT + 123);
	});

	it('cuts off what is finer than a millisecond, so that no time becomes one of the next day', () => {
		const last = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
		const numbers = ['1796083199.9996', '1796083199999.9', '1796083199999999', '1796083199999999999'];
		const texts = ['2026-11-30T23:59:59.9996Z', '2026-11-30 23:59:59.9996', '2026-11-30T22:59:59,9996-01'];
		for (const time of [...numbers, ...numbers.map(Number).slice(0, 3), ...texts]) expect(instantOf(time)).toBe(last);
	});

	it.each([
		...['2026', '202611', '20261130', '2026-11', '20261130T101500Z', '20261130101500', '2026-11-31T10:00:00+01:00'],
		...['Nov 30 2026 10:00', 'Mon, 30 Nov 2026 10:00:00', 'Mon Nov 30 2026', '2026/11/30', '2026-11-30T10:00 CET'],
		...['0001-01-01T00:00:00Z', '1970-01-01', '0', 0, -5, 2026, 20261130, 20261130101500, 1e300, '9'.repeat(30)],
	])('takes %j for none, because it says no time, or another one on another machine', (value) =>
		expect(instantOf(value)).toBeUndefined(),
	);
});

describe('a name or an identifier that arrives as a number', () => {
	const kinds = [field('id'), field('text'), field('text', { names: 'header' }), field('text', { names: 'body' })];
	const numbers = [9007199254740993, 12345678901234567890, 1e21, 1e300, -1e17, 0.1 + 0.2, 1.5, Number.NaN, Infinity];
	it.each(kinds.flatMap((kind) => numbers.map((number) => [kind, number] as const)))(
		'is refused for %j where it may be another one than was written: %p',
		(kind, number) => {
			expect(report(acceptValue(kind, number))).toMatch(/may already be another one than was written: give it as text/);
		},
	);

	it.each(kinds)('is taken by %j as the text of its digits where no digit can be lost', (kind) => {
		expect(report(acceptValue(kind, 9007199254740991))).toBe('9007199254740991');
	});

	it.each([[{}], [[]], [new Date(0)], [true], [() => 'a'], [Symbol('a')], [5n]])(
		'is refused where it is neither text nor a number: %p',
		(value) => {
			for (const kind of kinds) expect(report(acceptValue(kind, value))).toMatch(/^refused/);
		},
	);
});
