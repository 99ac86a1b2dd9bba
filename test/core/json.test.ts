import { parseExactly } from '../../packages/core/src/wire/json';

describe('parseExactly', () => {
	it('leaves amounts in quotes as they are written, scale and all (checklist 9)', () => {
		expect(parseExactly('{"price":"1500.00","quantity":"0.10"}')).toEqual({ price: '1500.00', quantity: '0.10' });
	});

	it.each([
		['1500.00', '1500.00'],
		['0.1000', '0.1000'],
		['12345678901234567890.12', '12345678901234567890.12'],
		['9007199254740993', '9007199254740993'],
		['1.0e3', '1.0e3'],
	])('keeps the number %s as the text it came as, and says so (checklist 10)', (number, text) => {
		const kept: string[] = [];
		expect(parseExactly(`{"price":${number}}`, (name) => kept.push(name))).toEqual({ price: text });
		expect(kept).toEqual(['price']);
	});

	it.each(['0.1', '17', '-3', '0'])('leaves the number %s, which JavaScript writes the same', (number) => {
		expect(parseExactly(`[${number}]`)).toEqual([Number(number)]);
	});

	it('does not mistake text for numbers', () => {
		expect(parseExactly('{"text":": 1.50, [2.50"}')).toEqual({ text: ': 1.50, [2.50' });
	});
});
