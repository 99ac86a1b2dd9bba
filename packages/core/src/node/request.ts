import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { ANSWER_BYTES_MAX, TransportError, type HttpRequest, type HttpResponse } from '../ports';
import { readAnswer, type Answer } from './answer';
import type { KeptConnection, Connections, Holder } from './connections';

/**
 * One request over a kept connection, and its whole answer as text. Rejects with a TransportError only, which says that
 * nothing was sent where no connection stood to write to.
 */
export function sendRequest(
	request: HttpRequest,
	url: URL,
	connections: Connections,
	userAgent: string,
): Promise<HttpResponse> {
	return new Promise((resolve, reject) => {
		const { timeoutMs, bytesMax = ANSWER_BYTES_MAX, signal, body = '' } = request;
		const head = headOf(request, url, userAgent);
		const reading = readAnswer(bytesMax);
		let connection: KeptConnection | undefined;
		reading.next();
		const aborted = (): void => stop('aborted');
		const timer = setTimeout(() => stop('timeout'), timeoutMs);
		signal?.addEventListener('abort', aborted, { once: true });

		function clear(): void {
			clearTimeout(timer);
			signal?.removeEventListener('abort', aborted);
		}

		function stop(reason: TransportError['reason']): void {
			clear();
			connections.leave(holder);
			reject(new TransportError(reason, connection ? 'perhaps' : 'never'));
		}

		const holder: Holder = {
			ready: (given) => {
				connection = given;
				given.socket.write(head + body, body === '' ? 'latin1' : 'utf8');
			},
			came: (bytes) => {
				try {
					const { done, value } = reading.next(bytes);
					if (!done) return;
					clear();
					const isWritten = connection!.socket.writableLength === 0;
					if (value.isKept && isWritten) connections.giveBack(connection!, value.headers['keep-alive']);
					else connections.leave(holder);
					resolve(textOf(value, bytesMax));
				} catch (error) {
					stop((error as TransportError).reason);
				}
			},
			closed: stop,
		};
		connections.take(holder);
	});
}

/** @throws A {@link TransportError} where a value would end its line: what follows would be another header. */
function headOf({ method, headers, body }: HttpRequest, { host, pathname, search }: URL, userAgent: string): string {
	let head = `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n`;
	for (const name of Object.keys(headers)) {
		if (!/^[\t\x20-\x7e]*$/.test(headers[name]!)) throw new TransportError('reset', 'perhaps');
		head += `${name}: ${headers[name]}\r\n`;
	}
	if (body !== undefined) head += `content-length: ${Buffer.byteLength(body)}\r\n`;
	return `${head}user-agent: ${userAgent}\r\naccept-encoding: gzip, br\r\nconnection: keep-alive\r\n\r\n`;
}

/** Unpacks within the same limit, so that a small answer cannot expand without one. */
function textOf({ status, headers, body }: Answer, bytesMax: number): HttpResponse | Promise<HttpResponse> {
	const codings = headers['content-encoding'];
	if (codings === undefined) return { status, headers, body: body.toString() };
	return unpacked(codings, body, bytesMax).then(
		(bytes) => ({ status, headers, body: bytes.toString() }),
		(error: NodeJS.ErrnoException) => {
			if (error.code === 'ERR_BUFFER_TOO_LARGE') throw new TransportError('too_large', 'perhaps');
			// What the status says of a refusal needs no body; a success without its body is not known.
			if (status >= 300) return { status, headers, body: '' };
			throw new TransportError('reset', 'perhaps');
		},
	);
}

const unpackers = {
	gzip: promisify(gunzip),
	'x-gzip': promisify(gunzip),
	deflate: promisify(inflate),
	br: promisify(brotliDecompress),
};

/** A body without bytes is empty, and one that is plain JSON is plain, whatever encoding a header claims. */
async function unpacked(codings: string, body: Buffer, maxOutputLength: number): Promise<Buffer> {
	let bytes = body;
	for (const coding of codings
		.toLowerCase()
		.split(/[\s,]+/)
		.reverse()) {
		if (bytes.length === 0 || bytes[0] === BRACE || !Object.hasOwn(unpackers, coding)) continue;
		bytes = await unpackers[coding as keyof typeof unpackers](bytes, { maxOutputLength });
	}
	return bytes;
}

/** No packed stream of the three begins with it. */
const BRACE = 0x7b;
