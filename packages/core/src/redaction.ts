import { spellingsOf } from './spellings';

const HIDDEN = '[hidden]';
/** Shorter keys are not searched for, because they would hide ordinary words. */
const SECRET_LENGTH_MIN = 4;
const EXCERPT_LENGTH_MAX = 300;
const READ_LENGTH_MAX = 20_000;
/** The longest encoding of one byte of a key: a percent sign encoded several times over. */
const SPELLING_LENGTH_MAX = 9;
/** Keys whose patterns are cached: building one takes a millisecond, and an outage produces many messages. */
const PATTERNS_MAX = 1_024;

const patterns = new Map<string, RegExp>();

/** Replaces the secret, in any encoding it may have, and every token or key parameter. */
export function redact(text: string, secret: string | undefined): string {
	const clean = text
		.replace(/([?&]token=)[^&\s"'<>]+/gi, `$1${HIDDEN}`)
		.replace(/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, `$1${HIDDEN}`);
	if (secret === undefined || secret.length < SECRET_LENGTH_MIN) return clean;
	// No encoding is shorter than the secret.
	if (clean.length < secret.length) return clean;
	return clean.replace(patternOf(secret), HIDDEN);
}

/** The part of a text from the service that may be shown: redacted, on one line, shortened, and never a web page. */
export function excerpt(text: string, secret: string | undefined): string {
	if (/^\s*<(!doctype|html|head|body)/i.test(text)) return 'a web page instead of data';
	const clean = redact(text.slice(0, READ_LENGTH_MAX), secret);
	// A key at the cut is incomplete and not recognized, so the length of its longest encoding is dropped.
	const unsure = text.length > READ_LENGTH_MAX ? (secret?.length ?? 0) * SPELLING_LENGTH_MAX : 0;
	const sure = clean.slice(0, Math.min(EXCERPT_LENGTH_MAX * 4, Math.max(0, clean.length - unsure)));
	// Control characters could rewrite the terminal on which the message is printed.
	const line = sure.replace(/[\u0000-\u001f\u007f\s]+/g, ' ').trim();
	return line.length > EXCERPT_LENGTH_MAX ? `${line.slice(0, EXCERPT_LENGTH_MAX)}…` : line;
}

function patternOf(secret: string): RegExp {
	const pattern = patterns.get(secret) ?? new RegExp(spellingsOf(secret).join('|'), 'g');
	patterns.delete(secret);
	patterns.set(secret, pattern);
	const [oldest] = patterns.keys();
	if (patterns.size > PATTERNS_MAX && oldest !== undefined) patterns.delete(oldest);
	return pattern;
}
