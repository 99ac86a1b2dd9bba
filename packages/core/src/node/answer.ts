import { TransportError } from '../ports';

/** An HTTP/1.1 answer as it came: its body may be packed still. */
export interface Answer {
	status: number;
	/** Names in lower case; what came several times is joined with commas. */
	headers: Record<string, string>;
	body: Buffer;
	/** Whether the connection may carry another request. */
	isKept: boolean;
}

/** Is given the bytes of a connection as they come, and undefined at its end. */
export type Reading<Result> = Generator<undefined, Result, Buffer | undefined>;

/** A head, or a line of a body in chunks, is not longer. */
const HEAD_BYTES_MAX = 16 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Reads one answer (RFC 9112), at most `bytesMax` bytes of its body. What is not exactly an answer, is cut short or goes
 * on after its end is never taken for one: it throws, or the connection is not kept.
 */
export function* readAnswer(bytesMax: number): Reading<Answer> {
	let head: Head;
	let bytes: Buffer = NOTHING;
	do {
		let end = bytes.indexOf('\r\n\r\n');
		while (end < 0) end = (bytes = yield* more(bytes)).indexOf('\r\n\r\n');
		head = headOf(bytes.toString('latin1', 0, end));
		bytes = bytes.subarray(end + 4);
		// What says that the answer is still to come is no answer.
	} while (head.status < 200);
	const { status, headers, version } = head;
	const { 'content-length': length = '', 'transfer-encoding': coding, connection = '' } = headers;
	const parts: Buffer[] = [];
	let mayBeKept = version === '1' && !/\bclose\b/i.test(connection);
	if (status !== 204 && status !== 304) {
		if (coding?.toLowerCase() === 'chunked' && length === '') bytes = yield* chunks(bytes, parts, bytesMax);
		else if (coding === undefined && length !== '')
			bytes = yield* exactly(numberIn(/^\d{1,15}$/, length, 10), bytes, parts, bytesMax);
		else if (length === '' && (coding === undefined || coding === 'identity')) {
			mayBeKept = false;
			yield* untilTheEnd(bytes, parts, bytesMax);
			bytes = NOTHING;
		} else throw notHttp();
	}
	const body = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
	return { status, headers, body, isKept: mayBeKept && bytes.length === 0 };
}

interface Head {
	status: number;
	version: string;
	headers: Record<string, string>;
}

function headOf(text: string): Head {
	const [first, ...lines] = text.split('\r\n');
	const [, version, status] = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(first!) ?? [];
	// 101 changes to another protocol, which nobody asked for.
	if (status === undefined || status === '101' || forbidden.test(text)) throw notHttp();
	const headers: Record<string, string> = {};
	for (const line of lines) {
		const colon = line.indexOf(':');
		const name = line.slice(0, Math.max(0, colon)).toLowerCase();
		if (!token.test(name)) throw notHttp();
		const value = line.slice(colon + 1).trim();
		headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value;
	}
	return { status: Number(status), version: version!, headers };
}

const token = /^[\w!#$%&'*+.^`|~-]+$/;
/** Signs no head holds. Others might take half of a line end for a whole one, and see another head. */
const forbidden = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)|(?<!\r)\n/;

/** A body of known length. Answers the bytes behind it. */
function* exactly(length: number, first: Buffer, parts: Buffer[], bytesMax: number): Reading<Buffer> {
	if (length > bytesMax) throw tooLarge();
	let bytes = first;
	let left = length;
	for (; bytes.length < left; bytes = yield* more(NOTHING)) {
		parts.push(bytes);
		left -= bytes.length;
	}
	parts.push(bytes.subarray(0, left));
	return bytes.subarray(left);
}

function* chunks(first: Buffer, parts: Buffer[], bytesMax: number): Reading<Buffer> {
	let bytes = first;
	let left = bytesMax;
	for (;;) {
		let end = bytes.indexOf('\r\n');
		while (end < 0) end = (bytes = yield* more(bytes)).indexOf('\r\n');
		// What follows a semicolon is an extension, which nobody has to know.
		const size = numberIn(/^[\da-f]{1,8}(?=;|$)/i, bytes.toString('latin1', 0, end), 16);
		bytes = bytes.subarray(end + 2);
		if (size === 0) break;
		bytes = yield* exactly(size, bytes, parts, left);
		left -= size;
		while (bytes.length < 2) bytes = yield* more(bytes);
		if (bytes.toString('latin1', 0, 2) !== '\r\n') throw notHttp();
		bytes = bytes.subarray(2);
	}
	// The trailers end with an empty line, which is the first where there are none.
	while (bytes.length < 2) bytes = yield* more(bytes);
	if (bytes.toString('latin1', 0, 2) === '\r\n') return bytes.subarray(2);
	let end = bytes.indexOf('\r\n\r\n');
	while (end < 0) end = (bytes = yield* more(bytes)).indexOf('\r\n\r\n');
	return bytes.subarray(end + 4);
}

function* untilTheEnd(first: Buffer, parts: Buffer[], bytesMax: number): Reading<void> {
	let left = bytesMax;
	for (let bytes: Buffer | undefined = first; bytes !== undefined; bytes = yield) {
		if (bytes.length > left) throw tooLarge();
		left -= bytes.length;
		parts.push(bytes);
	}
}

/** Bytes that were not enough, and the next ones behind them. */
function* more(bytes: Buffer): Reading<Buffer> {
	if (bytes.length > HEAD_BYTES_MAX) throw notHttp();
	const next = yield;
	if (next === undefined) throw notHttp();
	return bytes.length === 0 ? next : Buffer.concat([bytes, next]);
}

function numberIn(pattern: RegExp, text: string, base: number): number {
	const [digits] = pattern.exec(text) ?? [];
	if (digits === undefined) throw notHttp();
	return Number.parseInt(digits, base);
}

const notHttp = (): TransportError => new TransportError('reset', 'perhaps');
const tooLarge = (): TransportError => new TransportError('too_large', 'perhaps');
