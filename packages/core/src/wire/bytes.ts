const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a binary message, for services that send JSON as bytes; undefined where the bytes are no UTF-8. */
export function textOfBytes(bytes: ArrayBuffer | Uint8Array): string | undefined {
	try {
		return utf8.decode(bytes);
	} catch {
		return undefined;
	}
}
