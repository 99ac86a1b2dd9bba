import fc from 'fast-check';
import { readDataMessages } from '../../../packages/core/src/stream/connection/data-reader';
import { readFrame } from '../../../packages/core/src/stream/connection/frames';
import { parseExactly } from '../../../packages/core/src/wire/json';

const TOPIC = 'trades.USD_NGN';
const DATA = { id: 't1', pair_id: 'USD/NGN', price: '1500.00', quantity: '1', sequence: 7, levels: [[1.5, '2']] };
const FLAT = { id: 't1', price: '1500.00', sequence: 7 };
const message = (fields: object = {}): string =>
	JSON.stringify({
		type: 'data',
		topic: TOPIC,
		seq: 7,
		epoch: 'e1',
		ts: '2026-01-01T00:00:00.000Z',
		data: DATA,
		...fields,
	});

const read = (text: string, drops = () => false) =>
	readDataMessages([text], (topic) => (topic === TOPIC ? { topic, drops } : undefined), 0)[0];
const readAll = (texts: readonly string[]) => readDataMessages(texts, (topic) => ({ topic, drops: () => false }), 0);

describe('a message read by its head', () => {
	it('reads a message by its head as the full reader does', () => {
		for (const text of [message(), message({ epoch: 12 }), message({ data: [1.0, 'x'] }), message({ data: null })]) {
			expect(read(text)).toMatchObject({ type: 'data', topic: TOPIC, position: { seq: 7 } });
			expect(read(text)).toEqual(readFrame(text));
		}
	});

	it.each([
		['a space', message().replace(',"seq"', ', "seq"')],
		['an escaped time', message().replace('00:00', '00\\u003a00')],
		['a time that is a number', message({ ts: 5 })],
		['a time too long to be one', message({ ts: '0'.repeat(2_001) })],
		['no number', message({ seq: undefined })],
		['another name of that length', message().replace('"seq"', '"sum"')],
		['a number with a leading zero', message().replace('"seq":7', '"seq":07')],
		['a number beyond what is exact', message().replace('"seq":7', '"seq":9007199254740993')],
		['a fraction for a number', message().replace('"seq":7', '"seq":7.0')],
		['a name that comes twice', message().replace(/}$/, ',"seq":9}')],
		['a name of a later version', message({ more: true })],
		['an epoch that is no JSON', message().replace('"e1"', 'e1')],
		['a payload that is no JSON', message().replace('"data":{', '"data":{{')],
		['no end', message().slice(0, -1)],
		['something behind its end', `${message()}}`],
	])('leaves a message to the full reader that has %s', (_, text) => {
		expect(read(text)).toBeUndefined();
	});

	it('reads a message by its head with exact amounts, and as deep as the full reader', () => {
		const deep = (levels: number) =>
			message().replace(/"data":.*/, `"data":${'['.repeat(levels)}${']'.repeat(levels)}}`);
		expect(read(message().replace('"1500.00"', '1500.00'))).toMatchObject({ data: { price: '1500.00' } });
		for (const levels of [62, 63, 64, 65])
			expect(read(deep(levels)) ?? readFrame(deep(levels))).toEqual(readFrame(deep(levels)));
	});

	it('reads a message by its head alike after others of another topic or epoch', () => {
		for (const fields of [
			{},
			{ epoch: 'e2' },
			{ topic: 'trades.GHS_NGN' },
			{ epoch: 'e' },
			{ topic: 'trades.USD' },
			{},
		])
			expect(readAll([message(fields)])).toEqual([readFrame(message(fields))]);
	});

	it('reads nothing from a head that the full reader would not read, whatever was done to its text', () => {
		const edit = fc.record({
			at: fc.nat(200),
			cut: fc.nat(3),
			put: fc.constantFrom(
				'',
				'"',
				',',
				'}',
				'{',
				'\\',
				'0',
				'1.0',
				' ',
				'\n',
				':',
				'"seq":',
				'"data":',
				'"ts":"',
				'é',
			),
		});
		fc.assert(
			fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
				const text = edits.reduce((all, { at, cut, put }) => all.slice(0, at) + put + all.slice(at + cut), message());
				const texts = [message(), text, message({ data: FLAT }), text.replace(/"data":.*/, '"data":{"a":1}}')];
				const frames = readAll(texts);
				expect(texts.map((name, index) => frames[index] ?? readFrame(name))).toEqual(texts.map(readFrame));
			}),
			{ seed: 1, numRuns: 5_000 },
		);
	});
});

describe('a message nobody needs', () => {
	it('drops an unneeded message unparsed: of an unknown topic, or one whose subscribers need nothing', () => {
		expect(read(message({ topic: 'trades.GHS_NGN' }))).toBe('dropped');
		expect(read(message(), () => true)).toBe('dropped');
	});
});

describe('numbers whose digits JavaScript would change', () => {
	it.each(['{"price" : 1500.00}', '{"price" :1500.00}', '{"price":\n1500.00}', '[ 1500.00 ]', '[1 , 1500.00]'])(
		'keeps numbers as text that JavaScript would change, however %j is spaced',
		(text) => {
			expect(JSON.stringify(parseExactly(text))).toContain('"1500.00"');
		},
	);
});
