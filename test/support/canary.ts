/**
 * The spellings of a key that count (SECURITY.md), for tests that search for it: as those write who send headers, addresses
 * and JSON. Independent of the redaction it tests.
 */
export function spellings(key: string): Record<string, string> {
	const hex = (sign: string): string => Buffer.from(sign).toString('hex');
	const json = JSON.stringify(key).slice(1, -1);
	const lower = (address: string): string => address.replace(/%../g, (sign) => sign.toLowerCase());
	const query = new URLSearchParams([['', key]]).toString().slice(1);
	const strict = key.replace(/[^\w.-]/g, (sign) => `%${hex(sign).toUpperCase()}`);
	return {
		'plain text': key,
		JSON: json,
		'JSON with escaped slashes': json.replaceAll('/', '\\/'),
		'JSON within HTML': json.replace(/[<>&'=+]/g, (sign) => `\\u00${hex(sign)}`),
		'JSON with code points for all signs': key.replace(/[^A-Za-z0-9]/g, (sign) => `\\u00${hex(sign).toUpperCase()}`),
		'an address': encodeURIComponent(key),
		'a whole address': encodeURI(key),
		'a query': query,
		'an address with every sign written out': strict,
		'an address in lower case': lower(encodeURIComponent(key)),
		'a query in lower case': lower(query),
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
