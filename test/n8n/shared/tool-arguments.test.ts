import type { IExecuteFunctions } from 'n8n-workflow';
import type { NodeParameters } from '../../../nodes/shared/form/parameters';
import { assertOwnArguments, digestOf } from '../../../nodes/shared/action/tool-call';

interface Call {
	isTool: boolean;
	/** The arguments of the call. */
	json?: unknown;
	/** The same, as n8n reads them. */
	read?: Record<string, unknown>;
}

const hostOf = ({ isTool, json = {}, read = {} }: Call): IExecuteFunctions =>
	({
		getNode: () => ({ name: 'node-1', type: 'partnerExchange' }),
		getInputData: () => [{ json }],
		evaluateExpression: (text: string) => read[/\$fromAI\('([^']*)'\)/.exec(text)![1]!],
		isToolExecution: () => isTool,
	}) as unknown as IExecuteFunctions;

const create: NodeParameters = {
	id: 'order.create',
	input: { quantity: '1.00' },
	options: {},
	production: false,
	leftOut: [],
};

describe('the arguments of a call', () => {
	const tool = { isTool: true, json: { quantity: '1.00', note: { a: 1 } } };

	it('compares no arguments where no agent calls, nor under names that no form can ask for', () => {
		expect(() => assertOwnArguments(hostOf({ ...tool, isTool: false }), 0)).not.toThrow();
		const json = { query: 'buy', 'two words': 1, [`x${'y'.repeat(64)}`]: 1 };
		expect(() => assertOwnArguments(hostOf({ isTool: true, json }), 0)).not.toThrow();
		expect(() => assertOwnArguments(hostOf({ isTool: true, json: { [`y`.repeat(64)]: 1 } }), 0)).toThrow();
		expect(() => assertOwnArguments(hostOf({ isTool: true, json: null }), 0)).not.toThrow();
	});

	it('tells two orders apart by operation and values, however their arguments are sorted', () => {
		const digest = digestOf({ ...create, input: { side: 'buy', quantity: '1.00' } });
		expect(digestOf({ ...create, input: { quantity: '1.00', side: 'buy' } })).toBe(digest);
		expect(digest).toMatch(/^[\w-]{22}$/);
		const others: NodeParameters[] = [
			{ ...create, input: { side: 'buy', quantity: '2.00' } },
			{ ...create, id: 'order.replace', input: { side: 'buy', quantity: '1.00' } },
		];
		for (const other of others) expect(digestOf(other)).not.toBe(digest);
	});
});
