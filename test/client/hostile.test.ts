import fc from 'fast-check';
import { ExchangeError, named } from '@partner-exchange/core';
import { operationIds, operationOf } from '@partner-exchange/core/catalogue';
import { itemsIn, recordNames, type RecordKind } from '@partner-exchange/core/testing';
import { acceptInput } from '../../packages/core/src/input/input';
import { reportDrift } from '../../packages/core/src/client/answer';
import { rulesOf } from '../../packages/core/src/client/market-rules';
import { readResponse } from '../../packages/core/src/wire/response';

// A fixed seed, so that a rare failure belongs to the change that introduced it.
fc.configureGlobal({ seed: 1 });

const KEY = 'canary-key-7f3a';
const operation = fc.constantFrom(...operationIds).map(operationOf);
const body = fc.oneof(
	fc.json().map((text) => text.replace('{', `{"message":"${KEY}",`)),
	fc.json().map((data) => `{"status":"success","data":${data}}`),
	fc.string({ unit: 'binary' }),
	fc.constantFrom('', '<html>', `{"error":"${KEY}"`, 'null', '[]', `"${KEY}"`),
);

describe('whatever the service answers', () => {
	it('turns any answer into a response, never an exception, and never shows the key', () => {
		fc.assert(
			fc.property(operation, fc.integer({ min: 100, max: 599 }), body, fc.string(), (entry, status, text, header) => {
				const headers = { 'retry-after': header, 'x-request-id': KEY };
				const response = readResponse(entry, { status, headers, body: text }, KEY, 0);
				if ('data' in response) {
					expect(status).toBeGreaterThanOrEqual(200);
					expect(status).toBeLessThan(300);
					expect(typeof response.data).toBe('object');
					expect(() => reportDrift(entry, response.data, [], {})).not.toThrow();
				} else {
					expect(response.error).toBeInstanceOf(ExchangeError);
					expect(response.error.message + JSON.stringify(response.error)).not.toContain(KEY);
					expect(response.error.message.length).toBeLessThan(1_000);
				}
			}),
			{ numRuns: 500 },
		);
	});

	it('reads lists, records and rules from any answer without an exception', () => {
		const kinds = Object.keys(recordNames) as RecordKind[];
		fc.assert(
			fc.property(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(...kinds), (data, kind) => {
				expect(Array.isArray(itemsIn(data, 'orders'))).toBe(true);
				for (const item of itemsIn(data, 'markets')) expect(typeof rulesOf(item)).toBe('object');
				expect(Object.values(named(kind, data)).every((value) => typeof value === 'string')).toBe(true);
			}),
			{ numRuns: 300 },
		);
	});
});

describe('whatever a flow hands in', () => {
	it('accepts any input as plain values or refuses it as invalid', () => {
		const anything = fc.anything({
			withNullPrototype: true,
			withDate: true,
			withBigInt: true,
			withSet: true,
			maxDepth: 1,
		});
		const value = fc.oneof(anything, fc.constantFrom('limit', 'buy', 'fiat', 'USD/NGN', '1.5', 1, '{}', Symbol('x')));
		const call = operation.chain((entry) => {
			const names = Object.keys(entry.input);
			return fc.tuple(
				fc.constant(entry),
				fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] }),
			);
		});
		fc.assert(
			fc.property(call, ([entry, value]) => {
				try {
					for (const accepted of Object.values(acceptInput(entry, value))) expect(accepted).not.toBeNaN();
				} catch (error) {
					expect(error).toBeInstanceOf(ExchangeError);
					expect((error as ExchangeError).code).toBe('invalid_input');
				}
			}),
			{ numRuns: 500 },
		);
	});
});
