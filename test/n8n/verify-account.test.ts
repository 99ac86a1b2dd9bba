import { startWire, success, type Wire } from '../support/wire';
import { pick, run } from './exchange';

let wire: Wire;
beforeAll(async () => {
	wire = await startWire();
});
afterAll(async () => await wire.close());

const verify = async (answer: object, options: object = {}) => {
	wire.on('POST /partner/wallets/fiat/verify-account', success(answer));
	const parameters = { bank_code: pick('058'), account_number: '0123456789', options: options as never };
	const { baseUrl, wsUrl } = wire.account;
	return await run({ baseUrl, wsUrl } as never, { resource: 'wallet', operation: 'verifyAccount', ...parameters });
};

describe('Verify Account in n8n', () => {
	it('fails the item of an account that nobody holds, in words', async () => {
		const { error } = await verify({ bank: { name: 'GTBank' } });
		expect(error?.message).toBe('Verify Account: Nobody was found: the answer shows bank and no name of a holder');
	});

	it('refuses an account number that a spreadsheet made a number', async () => {
		const sent = wire.received.length;
		const parameters = { bank_code: pick('058'), account_number: 123456789 };
		const { baseUrl, wsUrl } = wire.account;
		const at = { resource: 'wallet', operation: 'verifyAccount' };
		const { error } = await run({ baseUrl, wsUrl } as never, { ...at, ...parameters });
		expect(error?.message).toContain('Account Number is the number 123456789, which may have lost its leading zeros');
		expect(wire.received).toHaveLength(sent);
	});

	it('compares the expected name of its options', async () => {
		const { items } = await verify({ account_name: 'OBI ADA' }, { expected_name: 'A. Obi' });
		expect(items[0]?.json).toEqual({ account_name: 'OBI ADA', name_match: 'close' });
		const { error } = await verify({ account_name: 'OBI ADA' }, { expected_name: 'Eve Oko' });
		expect(error?.message).toBe('Verify Account: The bank names the holder OBI ADA, not Eve Oko');
	});
});
