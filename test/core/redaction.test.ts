import fc from 'fast-check';
import { excerpt, noticeText } from '@partner-exchange/core/adapters';
import { spellings } from '../support/canary';
import { ExchangeError, redact } from '@partner-exchange/core';
import { success, useWire, wireClient } from '../support/wire';

const secret = `k/3y+=&"7'!`;

describe('redact', () => {
	it.each([
		secret,
		encodeURIComponent(secret),
		encodeURI(secret),
		JSON.stringify(secret),
		new URLSearchParams({ key: secret }).get('key')!,
		new URLSearchParams([['', secret]]).toString().slice(1),
	])('hides the key written as %s', (spelling) => {
		expect(redact(`before ${spelling} after`, secret)).toMatch(/^before "?\[hidden\]"? after$/);
	});

	it.each(Object.entries(spellings(secret)))('hides the key in %s, wherever it stands', (_, spelling) => {
		for (const [before, after] of [
			['', ''],
			['x', 'y'],
			['bearer ', '.'],
		] as const)
			expect(redact(before + spelling + after, secret)).toBe(`${before}[hidden]${after}`);
	});

	it('hides any key in any spelling, and in a text that is encoded as a whole', () => {
		const key = fc.string({
			unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
			minLength: 8,
			maxLength: 64,
		});
		fc.assert(
			fc.property(key, fc.string(), fc.string(), (made, before, after) => {
				for (const [name, spelling] of Object.entries(spellings(made)))
					expect({ name, found: redact(`<${spelling}>`, made).includes(spelling) }).toEqual({ name, found: false });
				for (const encoding of ['base64', 'base64url'] as const) {
					const text = Buffer.from(before + made + after).toString(encoding);
					expect(redact(text, made)).toContain('[hidden]');
				}
			}),
			{ seed: 1, numRuns: 300 },
		);
	});

	it('searches a key of signs as text, however many there are', () => {
		// A pattern that could share the signs out in several ways would try them all, and never end.
		for (const sign of ['\\', '%', '%25', '%5C', '\\"', '"', '/', '\\/', '%2525']) {
			const key = `${sign.repeat(40)}x1y2`;
			for (const around of [sign, '\\', '%25', '\\\\', '%2525'].map((one) => one.repeat(5_000))) {
				expect(redact(`before ${around} after`, key)).toBe(`before ${around} after`);
				for (const spelling of [key, JSON.stringify(key).slice(1, -1), encodeURIComponent(key)])
					expect(redact(`${around}${spelling}${around}`, key)).not.toContain('x1y2');
			}
		}
	});

	it.each(['wss://h/v1/ws?token=abc', 'x?a=1&token=abc&b=2', 'X-Api-Key: abc', '{"x-api-key":"abc"}'])(
		'hides what is in %s',
		(text) => {
			expect(redact(text, undefined)).not.toContain('abc');
		},
	);

	it('leaves ordinary text as it is when the key is empty or too short', () => {
		expect(redact('an error', '')).toBe('an error');
		expect(redact('an error', 'an')).toBe('an error');
	});
});

describe('excerpt', () => {
	it('shortens an excerpt to one line, drops control characters and names a web page', () => {
		expect(excerpt(`a\nb\u001b[31m${'x'.repeat(1000)}`, undefined)).toHaveLength(301);
		expect(excerpt('a\r\n\tb\u0007c', undefined)).toBe('a b c');
		expect(excerpt('<!DOCTYPE html><title>502</title>', undefined)).toBe('a web page instead of data');
	});

	it('shows no part of a key at the end of an excerpt', () => {
		const long = 'k'.repeat(8).concat('0123456789'.repeat(50)).slice(0, 512);
		for (let from = 19_000; from < 20_000; from += 37) {
			const text = excerpt(
				`${long.repeat(Math.floor(from / long.length))}${' '.repeat(from % long.length)}${long.repeat(3)}`,
				long,
			);
			expect(text.replaceAll('[hidden]', '').trim().replace('…', '')).toBe('');
		}
	});

	it('never cuts a key in an excerpt and shows the rest', () => {
		const text = `${'x'.repeat(295)}${secret}`;
		expect(excerpt(text, secret)).not.toContain(secret.slice(0, 4));
		expect(excerpt(`${' '.repeat(1195)}${secret}`, secret)).not.toContain(secret.slice(0, 4));
	});
});

/** What rewrites a terminal or turns a line around: escape, bell, carriage return, C1, and directions of writing. */
const STEERING =
	'\u001b[2J\u0007\r\u0008\u007f\u0080\u009b31m\u0085\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069';

const steers = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const { wire } = useWire();

describe('a text that is not ours steers no terminal', () => {
	it('removes terminal codes from the names of markets in a message', async () => {
		const name = `USD${STEERING}NGN`;
		wire.on('GET /partner/exchange/markets', success({ markets: [{ pair_id: name, id: name, symbol: name }] }));
		const error: unknown = await wireClient(wire)
			.call('market.ticker', { pair_id: 'usd/ghs' })
			.catch((reason: unknown) => reason);
		expect((error as Error).message).toContain('USD [2J');
		expect((error as Error).message).not.toMatch(steers);
	});

	it('removes terminal codes from any detail of an error', () => {
		const error = new ExchangeError('refused', {
			...{ what: STEERING, operation: STEERING, field: STEERING, serviceMessage: STEERING, serviceCode: STEERING },
			...{ advice: STEERING, details: { order_id: STEERING, attempts: 2 } },
		});
		expect(error.message).not.toMatch(steers);
		expect(error.stack!.split('\n    at ')[0]).not.toMatch(steers);
		for (const fact of Object.values(error.toJSON())) expect(String(fact)).not.toMatch(steers);
		expect(error.details.attempts).toBe(2);
	});

	it('removes terminal codes from an excerpt and a notice', () => {
		expect(excerpt(`a${STEERING}b`, undefined)).not.toMatch(steers);
		const data = { order_id: STEERING, counted: STEERING, expected: STEERING, done: 'read' };
		expect(noticeText({ kind: 'incomplete_fills', data })).not.toMatch(steers);
	});

	it('leaves words of any language as they are', () => {
		const words = 'Ünïcode ١٢٣ שלום 名前 👍🏽 na\u00a0ira';
		expect(new ExchangeError('refused', { what: words }).what).toBe(words);
	});
});
