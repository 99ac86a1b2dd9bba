import { transportErrorOf } from '../../packages/core/src/wire/transport-errors';

const proofOf = (error: unknown) => {
	const { reason, sent } = transportErrorOf(error);
	return `${reason}, ${sent}`;
};

describe('what an error of the network proves about what was sent', () => {
	it.each(['EPIPE', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ERR_UNHEARD_OF', ''])(
		'is nothing by the code %j alone, wherever a host keeps it',
		(code) => {
			expect(proofOf({ code })).toBe('reset, perhaps');
			expect(proofOf({ httpCode: code })).toBe('reset, perhaps');
			expect(proofOf({ cause: { code, syscall: 'write' } })).toBe('reset, perhaps');
		},
	);

	it.each([
		['ETIMEDOUT', 'timeout, perhaps'],
		['ECONNABORTED', 'timeout, perhaps'],
		['ERR_CANCELED', 'aborted, perhaps'],
		['ECONNREFUSED', 'refused, never'],
		['ENOTFOUND', 'name, never'],
		['EAI_AGAIN', 'name, never'],
		['CERT_HAS_EXPIRED', 'certificate, never'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate, never'],
	])('is by the code %s alone: %s', (code, proof) => {
		expect(proofOf({ code })).toBe(proof);
		expect(proofOf({ httpCode: code })).toBe(proof);
		expect(proofOf({ cause: { cause: { code } } })).toBe(proof);
	});

	it.each([
		['EHOSTUNREACH', 'connect', 'refused, never'],
		['EPIPE', 'connect', 'refused, never'],
		['ETIMEDOUT', 'connect', 'timeout, never'],
		['EAI_FAIL', 'getaddrinfo', 'refused, never'],
		['ECONNREFUSED', 'read', 'reset, perhaps'],
		['ENOTFOUND', 'write', 'reset, perhaps'],
	])('is by %s while it was at %s: %s', (code, syscall, proof) => {
		expect(proofOf({ code, syscall })).toBe(proof);
		expect(proofOf({ code, cause: { code, syscall } })).toBe(proof);
	});

	it('is that nothing was sent where each address that was tried failed to connect', () => {
		const failed = { syscall: 'connect' };
		expect(proofOf({ errors: [failed, failed] })).toBe('refused, never');
		for (const errors of [[], [failed, { syscall: 'read' }], [failed, undefined], 'connect'])
			expect(proofOf({ errors })).toBe('reset, perhaps');
	});

	it('is that nothing was sent where the connection was still to be encrypted', () => {
		expect(proofOf({ request: { socket: { secureConnecting: true } } })).toBe('handshake, never');
		for (const request of [null, {}, { socket: null }, { socket: { secureConnecting: false } }])
			expect(proofOf({ request })).toBe('reset, perhaps');
	});

	it.each([null, undefined, 'ECONNREFUSED', 7])('is nothing where it is no error but %j', (error) => {
		expect(proofOf(error)).toBe('reset, perhaps');
	});

	it('is read from the outermost code, five causes deep, and from what looks like a code alone', () => {
		const nested = (depth: number, error: object): object =>
			depth === 0 ? error : { cause: nested(depth - 1, error) };
		expect(proofOf(nested(4, { code: 'ECONNREFUSED' }))).toBe('refused, never');
		expect(proofOf(nested(5, { code: 'ECONNREFUSED' }))).toBe('reset, perhaps');
		expect(proofOf({ code: 'EPIPE', cause: { code: 'ECONNREFUSED' } })).toBe('reset, perhaps');
		expect(proofOf({ code: 502, cause: { code: 'ENOTFOUND' } })).toBe('name, never');
		expect(proofOf({ code: 'constructor' })).toBe('reset, perhaps');
	});
});
