/**
 * The encodings in which a key may appear in a text, for tests that search for it. Independent of the redaction it
 * tests.
 */
export function spellings(key: string): Record<string, string> {
	const bytes = Buffer.from(key);
	const each = (write: (byte: number) => string): string => [...bytes].map(write).join('');
	const hex = (byte: number): string => byte.toString(16).padStart(2, '0');
	return {
		'plain text': key,
		JSON: JSON.stringify(key).slice(1, -1),
		'JSON in JSON': JSON.stringify(JSON.stringify(key).slice(1, -1)).slice(1, -1),
		'JSON code points': each((byte) => `\\u00${hex(byte)}`),
		'JSON with escaped slashes': JSON.stringify(key).slice(1, -1).replaceAll('/', '\\/'),
		'an address': encodeURIComponent(key),
		'a whole address': encodeURI(key),
		'a query': new URLSearchParams([['', key]]).toString().slice(1),
		'percent signs': each((byte) => `%${hex(byte).toUpperCase()}`),
		'lower-case percent signs': each((byte) => `%${hex(byte)}`),
		'double percent signs': encodeURIComponent(encodeURIComponent(key)),
		'lower-case double percent signs': each((byte) => `%25${hex(byte)}`),
		hex: bytes.toString('hex'),
		'upper-case hex': bytes.toString('hex').toUpperCase(),
		'decimal HTML entities': each((byte) => `&#${byte};`),
		'hexadecimal HTML entities': each((byte) => `&#x${hex(byte)};`),
		'named HTML entities': key
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('>', '&gt;')
			.replaceAll('"', '&quot;')
			.replaceAll("'", '&#39;'),
		...base64(key, 'base64'),
		...base64(key, 'base64url'),
	};
}

/** A key inside base64 has one of three forms by its offset; these are the characters it determines alone. */
function base64(key: string, encoding: 'base64' | 'base64url'): Record<string, string> {
	const at = (before: number): string => {
		const text = Buffer.from('\0'.repeat(before) + key).toString(encoding);
		return text.slice([0, 2, 3][before], Math.floor(((before + Buffer.byteLength(key)) * 4) / 3));
	};
	return Object.fromEntries([0, 1, 2].map((before) => [`${encoding} after ${before} bytes`, at(before)]));
}

/** Where a key appears, as `place: encoding`; empty if nowhere. */
export function leaksIn(texts: Readonly<Record<string, string>>, key: string): string[] {
	return Object.entries(texts).flatMap(([place, text]) =>
		Object.entries(spellings(key)).flatMap(([name, spelling]) =>
			text.includes(spelling) ? [`${place}: ${name}`] : [],
		),
	);
}
