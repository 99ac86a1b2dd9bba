import { operationOf, type OperationId } from '@partner-exchange/core/catalogue';
import type { Message } from '../../../packages/node-red/src/host/types';
import { underIntent } from '../../../packages/node-red/src/action/intents';
import type { Offer } from '../../../packages/node-red/src/palette';

interface Options {
	node?: string;
	message?: Record<string, unknown>;
	input?: Record<string, unknown>;
	operation?: OperationId;
}

/** The settings and message properties from which a node derives the identity of its intent. */
function ask({
	node = 'node-1',
	message = {},
	input = { quantity: '1.00' },
	operation = 'order.create',
}: Options = {}) {
	const offer = { operation: operationOf(operation) } as Offer;
	const values = { input, options: { check_market: false } };
	return underIntent({ id: node }, { _msgid: 'message-1', ...message }, offer, values);
}
const nameOf = (requested?: Options): string => ask(requested).intent;

describe('the name of the intent behind a message', () => {
	it('derives the same intent from the same message, however often it comes, and says which it was', () => {
		expect(nameOf()).toBe(nameOf());
		expect(nameOf()).toMatch(/^node-1:message-1::[\w-]{16}$/);
		expect(nameOf({ message: { payload: 1, topic: 'x' } })).toBe(nameOf());
	});

	it.each<[string, Options]>([
		['node', { node: 'node-2' }],
		['message', { message: { _msgid: 'message-2' } }],
		['value', { input: { quantity: '1.01' } }],
		['field', { input: { quantity: '1.00', price: '5' } }],
		['part of a split message', { message: { parts: { id: 'a', index: 0 } } }],
	])('derives another intent from another %s', (_, requested) => {
		expect(nameOf(requested)).not.toBe(nameOf());
	});

	it('derives another intent for each part of a split message', () => {
		const part = (id: string, index: number) => nameOf({ message: { parts: { id, index, count: 2 } } });
		expect(part('a', 0)).toBe(part('a', 0));
		expect(new Set([part('a', 0), part('a', 1), part('b', 0)]).size).toBe(3);
	});

	it('leaves the values of a message as they are', () => {
		expect(ask().values).toEqual({ input: { quantity: '1.00' }, options: { check_market: false } });
	});
});

describe('a key that comes with the message', () => {
	it.each([
		['invoice 7', 'invoice 7'],
		[' invoice  7 ', 'invoice 7'],
		[7, '7'],
		[0, '0'],
	])('derives the intent from the key of the message alone: %j', (intentKey, key) => {
		const requested = ask({ message: { intentKey } });
		expect(requested.intent).toBe(key);
		expect(requested.values).toEqual({
			input: { quantity: '1.00' },
			options: { check_market: false, business_key: key },
		});
		expect(nameOf({ node: 'node-2', message: { _msgid: 'message-2', intentKey }, input: {} })).toBe(key);
	});

	it('uses the key of a message as no option where the operation has none', () => {
		const operation = 'simulation.fiatDeposit';
		expect(operationOf(operation).options).not.toContain('business_key');
		const { intent, values } = ask({ message: { intentKey: 'invoice 7' }, operation });
		expect({ intent, options: values.options }).toEqual({ intent: 'invoice 7', options: { check_market: false } });
	});

	it.each([
		['', 'is set and empty'],
		[12345678901234567890, 'is the number 12345678901234567000'],
		['  ', 'is set and empty'],
		[null, 'is set and empty'],
		[undefined, 'is set and empty'],
		[true, 'must be text'],
		[{ id: 7 }, 'must be text'],
		[['a'], 'must be text'],
	])('refuses a key of a message that names nothing: %j', (intentKey, what) => {
		expect(() => ask({ message: { intentKey } })).toThrow(
			expect.objectContaining({
				code: 'invalid_input',
				operation: 'Create Order',
				field: 'intentKey',
				message: expect.stringContaining(`msg.intentKey ${what}`) as string,
			}),
		);
	});

	it('takes no key that a message inherits', () => {
		const message = Object.create({ intentKey: 'invoice 7' }) as Message;
		message._msgid = 'message-1';
		const { intent } = underIntent({ id: 'node-1' }, message, { operation: operationOf('order.create') } as Offer, {
			input: { quantity: '1.00' },
			options: {},
		});
		expect(intent).toBe(nameOf());
	});
});
