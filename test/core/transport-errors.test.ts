import { transportErrorOf } from '../../packages/core/src/wire/transport-errors';

const proofOf = (error: unknown) => {
	const { reason, sent } = transportErrorOf(error);
	return `${reason}, ${sent}`;
};

describe('what an error of the network proves about what was sent', () => {
	it.each(['EPIPE', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'ERR_UNHEARD_OF', ''])(
		'the code %j alone proves nothing, wherever a host stores it',
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
	])('reads from the error code %s whether the request was sent: %s', (code, proof) => {
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
	])('reads from %s during %s whether the request was sent: %s', (code, syscall, proof) => {
		expect(proofOf({ code, syscall })).toBe(proof);
		expect(proofOf({ code, cause: { code, syscall } })).toBe(proof);
	});

	it('proves that nothing was sent when every address failed to connect', () => {
		const failed = { syscall: 'connect' };
		expect(proofOf({ errors: [failed, failed] })).toBe('refused, never');
		for (const errors of [[], [failed, { syscall: 'read' }], [failed, undefined], 'connect'])
			expect(proofOf({ errors })).toBe('reset, perhaps');
	});

	it('proves that nothing was sent while the TLS handshake was going on', () => {
		expect(proofOf({ request: { socket: { secureConnecting: true } } })).toBe('handshake, never');
		for (const request of [null, {}, { socket: { secureConnecting: false } }])
			expect(proofOf({ request })).toBe('reset, perhaps');
	});

	it('proves that nothing was sent while the request had no connection', () => {
		for (const socket of [null, { connecting: true }]) expect(proofOf({ request: { socket } })).toBe('reset, never');
	});

	it.each([null, undefined, 'ECONNREFUSED', 7])('proves nothing by %j, which is no error', (error) => {
		expect(proofOf(error)).toBe('reset, perhaps');
	});

	it('reads the outermost code, five causes deep, and only what looks like a code', () => {
		const nested = (depth: number, error: object): object =>
			depth === 0 ? error : { cause: nested(depth - 1, error) };
		expect(proofOf(nested(4, { code: 'ECONNREFUSED' }))).toBe('refused, never');
		expect(proofOf(nested(5, { code: 'ECONNREFUSED' }))).toBe('reset, perhaps');
		expect(proofOf({ code: 'EPIPE', cause: { code: 'ECONNREFUSED' } })).toBe('reset, perhaps');
		expect(proofOf({ code: 502, cause: { code: 'ENOTFOUND' } })).toBe('name, never');
		expect(proofOf({ code: 'constructor' })).toBe('reset, perhaps');
	});
});
