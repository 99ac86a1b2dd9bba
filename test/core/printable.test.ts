import { ExchangeError } from '@partner-exchange/core';
import { excerpt, noticeText } from '@partner-exchange/core/adapters';
import { success, useWire, wireClient } from '../support/wire';

/** What rewrites a terminal or turns a line around: escape, bell, carriage return, C1, and directions of writing. */
const STEERING =
	'\u001b[2J\u0007\r\u0008\u007f\u0080\u009b31m\u0085\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069';
const steers = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

const { wire } = useWire();

describe('a text that is not ours steers no terminal', () => {
	it('removes terminal codes from the names of markets in a message', async () => {
		const name = `USD${STEERING}NGN`;
		wire.on('GET /partner/exchange/markets', success({ markets: [{ pair_id: name, id: name, symbol: name }] }));
		const error: unknown = await wireClient(wire)
			.call('market.ticker', { pair_id: 'usd/ghs' })
			.catch((reason: unknown) => reason);
		expect((error as Error).message).toContain('USD [2J');
		expect((error as Error).message).not.toMatch(steers);
	});

	it('removes terminal codes from any detail of an error', () => {
		const error = new ExchangeError('refused', {
			...{ what: STEERING, operation: STEERING, field: STEERING, serviceMessage: STEERING, serviceCode: STEERING },
			...{ advice: STEERING, details: { order_id: STEERING, attempts: 2 } },
		});
		expect(error.message).not.toMatch(steers);
		expect(error.stack!.split('\n    at ')[0]).not.toMatch(steers);
		for (const fact of Object.values(error.toJSON())) expect(String(fact)).not.toMatch(steers);
		expect(error.details.attempts).toBe(2);
	});

	it('removes terminal codes from an excerpt and a notice', () => {
		expect(excerpt(`a${STEERING}b`, undefined)).not.toMatch(steers);
		const data = { order_id: STEERING, counted: STEERING, expected: STEERING, done: 'read' };
		expect(noticeText({ kind: 'incomplete_fills', data })).not.toMatch(steers);
	});

	it('leaves words of any language as they are', () => {
		const words = 'Ünïcode ١٢٣ שלום 名前 👍🏽 na\u00a0ira';
		expect(new ExchangeError('refused', { what: words }).what).toBe(words);
	});
});
