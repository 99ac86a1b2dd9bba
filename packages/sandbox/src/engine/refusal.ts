/** A refusal of the exchange. Its wire format is chosen by the dialect. */
export type RefusalKind =
	| 'invalid'
	| 'unauthorized'
	| 'forbidden'
	| 'not_found'
	| 'conflict'
	| 'rate_limited'
	| 'unavailable'
	| 'method_not_allowed'
	| 'unsupported_media_type'
	| 'too_large';

export class Refusal extends Error {
	constructor(
		readonly kind: RefusalKind,
		/** A stable machine-readable code, such as `unknown_pair`. */
		readonly code: string,
		message: string,
	) {
		super(message);
		this.name = 'Refusal';
	}
}

export const invalid = (code: string, message: string): Refusal => new Refusal('invalid', code, message);
export const conflict = (code: string, message: string): Refusal => new Refusal('conflict', code, message);
export const notFound = (code: string, message: string): Refusal => new Refusal('not_found', code, message);
