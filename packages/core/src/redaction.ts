import { printable } from './printable';
import { HIDDEN, hideOf } from './spellings';

/** Shorter keys are not searched for, because they would hide ordinary words. */
const SECRET_LENGTH_MIN = 4;
const EXCERPT_LENGTH_MAX = 300;
const READ_LENGTH_MAX = 20_000;
/** The longest spelling of a sign: a code point of JSON. */
const SIGN_LENGTH_MAX = 6;

/**
 * Replaces the secret, in every spelling that counts, and every token or key parameter. A secret of less than four
 * characters is not searched for. Never throws.
 *
 * @example
 * redact('x-api-key: "abcd"', 'abcd'); // 'x-api-key: "[hidden]"'
 */
export function redact(text: string, secret: string | undefined): string {
	// What is logged may be an error or a number, and a log must not fail.
	const clean = String(text)
		.replace(/([?&]token=)[^&\s"'<>]+/gi, `$1${HIDDEN}`)
		.replace(/(x-api-key["']?\s*[:=]\s*["']?)[^\s"',}]+/gi, `$1${HIDDEN}`);
	return typeof secret !== 'string' || secret.length < SECRET_LENGTH_MIN ? clean : hideOf(secret)(clean);
}

/** The part of a text from the service that may be shown: redacted, on one line, shortened, and never a web page. */
export function excerpt(text: string, secret: string | undefined): string {
	if (/^\s*<(!doctype|html|head|body)/i.test(text)) return 'a web page instead of data';
	const clean = redact(text.slice(0, READ_LENGTH_MAX), secret);
	// A key at the cut is incomplete and not recognized, so the length of its longest spelling is dropped.
	const unsure = text.length > READ_LENGTH_MAX ? (secret?.length ?? 0) * SIGN_LENGTH_MAX : 0;
	const sure = clean.slice(0, Math.min(EXCERPT_LENGTH_MAX * 4, Math.max(0, clean.length - unsure)));
	const line = printable(sure).replace(/\s+/g, ' ').trim();
	return line.length > EXCERPT_LENGTH_MAX ? `${line.slice(0, EXCERPT_LENGTH_MAX)}…` : line;
}
