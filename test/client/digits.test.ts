/** Numbers that were texts: a spreadsheet makes 123456789 of the account 0123456789. */
import type { OperationId } from '@partner-exchange/core/catalogue';
import { errorOf } from '../support/placing';
import { failure, success, useWire } from '../support/wire';
import { account, CREATE, VERIFY } from './recipient-stage';

const BANKS = 'GET /partner/wallets/fiat/banks';
const { wire, client, warnings, context } = useWire();
beforeEach(() => {
	wire.on(BANKS, success([{ code: '058' }, { code: '044' }, { code: '090267' }, { code: '0044' }, { code: '101' }]));
	wire.on(VERIFY, success({ account_name: 'ADA OBI' }));
	wire.on(CREATE, success({ id: 'r1', ...account }, 201));
});
const verify = (input: object) =>
	client.call('wallet.verifyAccount', { bank_code: '058', account_number: '0123456789', ...input }, context);
const sent = (route: string) => JSON.parse(wire.calls(route).at(-1)!.body);

describe('an identifier that arrives as a number', () => {
	it.each([
		['wallet.verifyAccount', { bank_code: '058', account_number: 123456789 }, 'account_number', 'Account Number'],
		['recipient.create', { ...account, account_number: 123456789 }, 'account_number', 'Account Number'],
		['recipient.create', { ...account, body: { account_number: 123456789 } }, 'account_number', 'Account Number'],
		['order.resolve', { client_order_id: 1001 }, 'client_order_id', 'Client Order ID'],
	] as const)('of %s is refused with the reason: %j', async (id, input, field, label) => {
		const error = await errorOf(client.call<OperationId>(id, input));
		expect(error).toMatchObject({ code: 'invalid_input', field });
		expect(error.message).toMatch(`${label} is the number`);
		expect(error.message).toContain('which may have lost its leading zeros: give it as text');
		expect(wire.received).toEqual([]);
	});

	it.each([
		[58, '058'],
		['58', '058'],
		[90267, '090267'],
	])('is repaired where bank code %j can mean one bank alone, and that is said', async (bank_code, listed) => {
		await verify({ bank_code });
		expect(sent(VERIFY)).toEqual({ bank_code: listed, account_number: '0123456789' });
		expect(warnings).toEqual([
			{
				kind: 'repaired',
				text: `Bank code ${bank_code} was sent as ${listed}, the only one of the list that it can mean`,
			},
		]);
		wire.on(CREATE, success({ id: 'r1', ...account, bank_code: listed }, 201));
		await client.call<OperationId>('recipient.create', { ...account, bank_code });
		expect(sent(CREATE).bank_code).toBe(listed);
	});

	it.each([44, 7])('is refused where bank code %d can mean two banks, or none', async (bank_code) => {
		await expect(verify({ bank_code })).rejects.toMatchObject({
			...{ code: 'invalid_input', field: 'bank_code' },
			what: `Bank code ${bank_code} is not in the list of supported banks`,
		});
		expect(wire.calls(VERIFY)).toEqual([]);
	});

	it('is refused as a bank code while the list of banks cannot be read', async () => {
		wire.on(BANKS, failure(500, {}));
		await expect(verify({ bank_code: 58 })).rejects.toMatchObject({ code: 'invalid_input', field: 'bank_code' });
		await expect(verify({ bank_code: '058' })).resolves.toBeDefined();
		expect(wire.calls(VERIFY)).toHaveLength(1);
	});
});

describe('the number of a bank account', () => {
	it.each(['0123 456 789', ' 0123456789', '01 23 45 67 89'])('loses the spaces of %j', async (account_number) => {
		await verify({ account_number });
		expect(sent(VERIFY).account_number).toBe('0123456789');
	});

	it.each(['abc', '0123-456789', '+234', '1.5E9', '٠١٢'])('is refused as %j', async (account_number) => {
		await expect(verify({ account_number })).rejects.toMatchObject({ code: 'invalid_input', field: 'account_number' });
		expect(wire.received).toEqual([]);
	});
});
