import type { CallContext, Warning } from '@partner-exchange/core';
import { operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import { outputModeOf } from '../../packages/core/src/client/output-mode';

/** The remaining fields of a response, and the warnings about it. */
function output(id: OperationId, options: CallContext['options'], data: unknown) {
	const warnings: Warning[] = [];
	const mode = outputModeOf(operationOf(id), { options, warn: (warning) => warnings.push(warning) });
	const answer = mode.answer(data);
	mode.end();
	return { answer, said: warnings.map(({ text }) => text) };
}

const chosen = (...output_fields: string[]): CallContext['options'] => ({
	output_mode: 'selected_fields',
	output_fields,
});
const order = { id: 'o1', status: 'filled', price: '1', fee: '2' };

describe('the fields of an answer', () => {
	it.each<CallContext['options']>([undefined, {}, { output_mode: 'raw' }, { ...chosen('price'), output_mode: 'raw' }])(
		'passes the fields of an answer on as sent for %j',
		(options) => {
			const data = { orders: [order] };
			const { answer, said } = output('order.list', options, data);
			expect(answer).toBe(data);
			expect(said).toEqual([]);
		},
	);

	it('passes all fields when an operation names none, and in a dry run', () => {
		const data = { deleted: true };
		expect(output('recipient.delete', { output_mode: 'simplified' }, data).answer).toBe(data);
		const dry = { dry_run: true, request: { method: 'POST' } };
		expect(output('order.create', { output_mode: 'simplified', dry_run: true }, dry).answer).toBe(dry);
	});

	it('keeps the essential fields in a simplified answer, as far as there are any', () => {
		expect(output('order.list', { output_mode: 'simplified' }, [order])).toEqual({
			answer: [{ id: 'o1', status: 'filled', price: '1' }],
			said: [],
		});
		expect(output('order.list', { output_mode: 'simplified' }, [{ fee: '2' }]).answer).toEqual([{ fee: '2' }]);
	});

	it('keeps the chosen fields, and reports once those no record has', () => {
		expect(output('order.get', chosen('fee', 'tax', 'toString'), order)).toEqual({
			answer: { id: 'o1', fee: '2' },
			said: ['The answer of Get Order has no field tax, toString'],
		});
		expect(output('order.get', chosen('fee'), { odd: 1 })).toEqual({
			answer: {},
			said: ['The answer of Get Order has no field fee'],
		});
	});

	it('reports no missing field for an empty list, or without a listener', () => {
		const requested = chosen('tax');
		expect(output('order.list', requested, { orders: [] })).toEqual({ answer: { orders: [] }, said: [] });
		const mode = outputModeOf(operationOf('order.get'), { options: requested });
		expect(mode.record(order)).toEqual({ id: 'o1' });
		mode.end();
	});

	it.each(['text', null, [1]])('leaves an answer %j that is no record as it is', (data) => {
		expect(output('order.get', { output_mode: 'simplified' }, data).answer).toEqual(data);
	});

	it('keeps chosen fields of each part and of what stands around them', () => {
		const requested = chosen('total', 'credit');
		const balance = { currency: 'NGN', total: '1', locked: '0' };
		const data = { balances: [balance, 'odd'], credit: { status: 'ok' }, generated_at: 'now' };
		expect(output('wallet.balances', requested, data)).toEqual({
			answer: { balances: [{ currency: 'NGN', total: '1' }, 'odd'], credit: { status: 'ok' } },
			said: [],
		});
		expect(output('wallet.balances', requested, { balances: null, total: '3' })).toEqual({
			answer: { total: '3' },
			said: ['The answer of Get Balances has no field credit'],
		});
	});
});
