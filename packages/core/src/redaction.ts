const HIDDEN = '[hidden]';
/** Shorter keys are not searched for: they would black out ordinary words. */
const SECRET_LENGTH_MIN = 4;
const EXCERPT_LENGTH_MAX = 300;
const READ_LENGTH_MAX = 10_000;

/** Text without the secret in any of the spellings it travels in, and without any token or key parameter. */
export function redact(text: string, secret: string | undefined): string {
	let clean = text
		.replace(/([?&]token=)[^&\s"'<>]+/gi, `$1${HIDDEN}`)
		.replace(/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, `$1${HIDDEN}`);
	if (secret === undefined || secret.length < SECRET_LENGTH_MIN) return clean;
	for (const spelling of spellings(secret)) clean = clean.replaceAll(spelling, HIDDEN);
	return clean;
}

/** What may be shown of a text the service sent: redacted, one line, shortened, and never a web page. */
export function excerpt(text: string, secret: string | undefined): string {
	if (/^\s*<(!doctype|html|head|body)/i.test(text)) return 'a web page instead of data';
	// A key at the end of what is read would be cut and so not be known; what is shown ends far before that.
	const clean = redact(text.slice(0, READ_LENGTH_MAX), secret).slice(0, EXCERPT_LENGTH_MAX * 4);
	// Control characters would let a message rewrite the terminal it is printed on.
	const line = clean.replace(/[\u0000-\u001f\u007f\s]+/g, ' ').trim();
	return line.length > EXCERPT_LENGTH_MAX ? `${line.slice(0, EXCERPT_LENGTH_MAX)}…` : line;
}

function spellings(secret: string): string[] {
	const inJson = JSON.stringify(secret).slice(1, -1);
	const inQuery = new URLSearchParams([['', secret]]).toString().slice(1);
	return [...new Set([secret, inJson, inQuery, encodeURIComponent(secret), encodeURI(secret)])].sort(
		(a, b) => b.length - a.length,
	);
}
