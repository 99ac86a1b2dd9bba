import { excerpt, redact } from '@partner-exchange/core';

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

	it.each(['wss://h/v1/ws?token=abc', 'x?a=1&token=abc&b=2', 'X-Api-Key: abc', '{"x-api-key":"abc"}'])(
		'hides what stands in %s',
		(text) => {
			expect(redact(text, undefined)).not.toContain('abc');
		},
	);

	it('leaves ordinary text alone when the key is empty or too short to be one', () => {
		expect(redact('an error', '')).toBe('an error');
		expect(redact('an error', 'an')).toBe('an error');
	});
});

describe('excerpt', () => {
	it('shortens, keeps one line, drops control characters and names a web page (checklist 16)', () => {
		expect(excerpt(`a\nb\u001b[31m${'x'.repeat(1000)}`, undefined)).toHaveLength(301);
		expect(excerpt('a\r\n\tb\u0007c', undefined)).toBe('a b c');
		expect(excerpt('<!DOCTYPE html><title>502</title>', undefined)).toBe('a web page instead of data');
	});

	it('never cuts a key in half and shows the rest', () => {
		const text = `${'x'.repeat(295)}${secret}`;
		expect(excerpt(text, secret)).not.toContain(secret.slice(0, 4));
		expect(excerpt(`${' '.repeat(1195)}${secret}`, secret)).not.toContain(secret.slice(0, 4));
	});
});
