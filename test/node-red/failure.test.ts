import { ExchangeError } from '@partner-exchange/core';
import { failureOf } from '../../packages/node-red/src/host/failure';

describe('the error of a node', () => {
	const { cause } = failureOf(new ExchangeError('invalid_input', { what: 'Price is missing', field: 'price' }));

	it('an error shows its details where Node-RED makes a text of it, as in the debug sidebar', () => {
		expect(JSON.parse(String(cause))).toEqual(cause);
		expect(cause).toMatchObject({ code: 'invalid_input', field: 'price' });
	});

	it('an error hands its details to flows without anything beside them', () => {
		expect(Object.keys(cause)).not.toContain('toString');
		expect(structuredClone(cause)).toEqual(cause);
	});
});
