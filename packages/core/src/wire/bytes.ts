const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a binary message, for services that send JSON as bytes; undefined where the bytes are no UTF-8. */
export function textOfBytes(bytes: ArrayBuffer | Uint8Array): string | undefined {
	try {
		return utf8.decode(bytes);
	} catch {
		return undefined;
	}
}

/** JSON is written in UTF-8. A server that writes another charset says so, and the name of a person is wrong without it. */
export function decoderOf(contentType = ''): TextDecoder {
	const [, charset] = /charset="?(?!utf-?8)([\w-]+)/i.exec(contentType) ?? [];
	try {
		return new TextDecoder(charset);
	} catch {
		return new TextDecoder();
	}
}
