import { startWire, success, type Wire } from '../support/wire';
import { account, call, node, openBench, payloadOf, tab, type Bench } from './flows';

describe('verify account in Node-RED', () => {
	let bench: Bench;
	let wire: Wire;
	beforeAll(async () => {
		wire = await startWire();
		bench = await openBench();
		const { baseUrl, wsUrl } = wire.account;
		await bench.nodeRed.deploy([
			tab,
			account({ baseUrl, wsUrl }),
			...node('verify', 'verify-account', { bank_code: '058', account_number: '0123456789' }, 1),
			...node('row', 'verify-account', {}, 1),
			...node(
				'expects',
				'verify-account',
				{ bank_code: '058', account_number: '0123456789', expected_name: 'A. Obi' },
				1,
			),
		]);
	});
	afterAll(async () => {
		await bench.close();
		await wire.close();
	});

	it('fails the message of an account that nobody holds, in words', async () => {
		wire.on('POST /partner/wallets/fiat/verify-account', success({ found: false, bank: { name: 'GTBank' } }));
		const { error } = await call(bench.nodeRed, 'verify');
		expect(error?.message).toContain('The bank does not confirm this account');
	});

	it('refuses an account number that a spreadsheet made a number', async () => {
		const { error } = await call(bench.nodeRed, 'row', { payload: { bank_code: '058', account_number: 123456789 } });
		expect(error?.message).toContain('Account Number is the number 123456789, which may have lost its leading zeros');
	});

	it('compares the expected name of its form', async () => {
		wire.on('POST /partner/wallets/fiat/verify-account', success({ account_name: 'OBI ADA' }));
		expect(payloadOf(await call(bench.nodeRed, 'expects'))).toEqual({ account_name: 'OBI ADA', name_match: 'close' });
		wire.on('POST /partner/wallets/fiat/verify-account', success({ account_name: 'EVE OKO' }));
		const { error } = await call(bench.nodeRed, 'expects');
		expect(error?.message).toContain('The bank names the holder EVE OKO, not A. Obi');
	});
});
