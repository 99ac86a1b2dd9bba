/** A verification that proves nothing is not a success. */
import { success, useWire } from '../support/wire';
import { nameMatch } from '../../packages/core/src/client/account-holder';
import { VERIFY } from './recipient-stage';

const { wire, client } = useWire();
const asked = { bank_code: '058', account_number: '0123456789' };
const verify = (options = {}) => client.wallet.verifyAccount(asked, { options });

describe('the verification of a bank account', () => {
	it.each<[string, object, string]>([
		['is empty', {}, 'the answer is empty'],
		['names nobody', { account_name: '' }, 'the answer shows account_name and no name of a holder'],
		['names no holder beside another name', { account_name: null, name: 'GTBank' }, 'shows account_name, name'],
		[
			'has a field of a holder in which nobody is',
			{ account_name: '', full_name: 'GTBank' },
			'account_name, full_name',
		],
		['names nobody in the words of a program', { account_name: 'null null' }, 'shows account_name and no name'],
		['names nobody in the words of a bank', { account_name: 'N/A' }, 'shows account_name and no name'],
		['names nobody by a sign', { account_name: '-' }, 'shows account_name and no name'],
		['has a number for a name', { account_name: 12 }, 'shows account_name and no name'],
		...[
			'ACCOUNT NOT FOUND',
			'Invalid account number 0123456789',
			'No record found.',
			'Could not resolve account name',
		].map(
			(sentence) =>
				['says so in the words of a bank', { account_name: sentence }, 'shows account_name'] as [
					string,
					object,
					string,
				],
		),
		['names the bank alone', { ok: true, bank: { name: 'GTBank' } }, 'the answer shows ok, bank'],
		['names the institution alone', { institution: { name: 'GTBank', number: '1' } }, 'shows institution'],
	])('is an error where the answer %s', async (_, answer, what) => {
		wire.on(VERIFY, success(answer));
		const error = await verify().catch((reason) => reason);
		expect(error).toMatchObject({ code: 'not_found', field: 'account_number', details: { rule: 'verify_account' } });
		expect(error.message).toContain(`Verify Account: Nobody was found: `);
		expect(error.message).toContain(what);
		expect(error.advice).toBe('Check the bank and the account number; nothing was created');
	});

	it.each<[string, object]>([
		['the account was not found', { found: false }],
		['the name does not match', { account_name: 'ADA OBI', matched: 'no' }],
		['the name does not match', { account_name: 'ADA OBI', name_match: false }],
		['the name does not match', { account_name: 'ADA OBI', nameMatch: 'false' }],
		['the number is not valid', { account_name: 'ADA OBI', account_number_valid: 0 }],
		['the account is not verified', { account_name: 'ADA OBI', account: { isVerified: 'N' } }],
		['it did not succeed', { account_name: 'ADA OBI', success: false }],
		['the account is unverified', { account_name: 'ADA OBI', unverified: true }],
		['nobody was found', { account_name: 'ADA OBI', not_found: 'yes' }],
		['there was an error', { account_name: 'ADA OBI', error: 'Invalid account' }],
		['it failed', { account_name: 'ADA OBI', status: 'FAILED' }],
		['the account is closed', { account_name: 'ADA OBI', status: 'closed' }],
		['the account is blocked', { account: { account_name: 'ADA OBI', account_status: 'Blocked' } }],
		['the account sleeps', { account_name: 'ADA OBI', accountStatus: 'DORMANT' }],
		['the account is not active', { account_name: 'ADA OBI', is_active: false }],
		...['25', '07', 'E04', '404'].map(
			(code) => ['it failed', { account_name: 'ADA OBI', response_code: code }] as [string, object],
		),
		['it failed', { account_name: 'ADA OBI', responseCode: 25 }],
		['it failed', { account_name: 'ADA OBI', status: false }],
		['it failed', { account: { name: 'ADA OBI', status_code: '51' } }],
		['the account was closed', { account_name: 'ADA OBI', closed: true }],
	])('is an error where the bank says that %s', async (_, answer) => {
		wire.on(VERIFY, success(answer));
		await expect(verify()).rejects.toMatchObject({
			code: 'refused',
			summary: 'Verify Account: The bank does not confirm this account',
		});
	});

	it.each([
		['account_number', { account_name: 'ADA OBI', account_number: '9876543210' }, '9876543210, not 0123456789'],
		['account_number', { account_name: 'ADA OBI', account_number: '123456789' }, '123456789, not 0123456789'],
		['bank_code', { account: { account_name: 'ADA OBI', bank_code: '044' } }, '044, not 058'],
	])('is an error where the answer is about another %s', async (field, answer, what) => {
		wire.on(VERIFY, success(answer));
		await expect(verify()).rejects.toMatchObject({
			...{ code: 'refused', field },
			what: `The answer is about ${field} ${what}`,
		});
	});

	it.each([
		{ account_name: 'ADA OBI' },
		{ name: 'ADA OBI', verified: true, bank: { name: 'GTBank', code: '058' } },
		{ account: { name: 'ADA OBI', number: '0123456789' } },
		{ account_name: 'ADA OBI', account_number: '******6789' },
		{ account_name: 'ADA OBI', name_match: true, not_found: false, invalid: false, status: 'active' },
		{ account_name: 'NNA NULL', error: null, error_code: '00', errors: [], error_fields: {} },
		{ account_name: 'ADA OBI', account_status: 'ACTIVE', active: true, closed: false, credit_status: 'closed' },
		{ account_name: 'ADA OBI', account_number: '0123 456 789', bank_code: '058' },
		{ account_name: 'ADA OBI', response_code: '00', status: true, bank: { code: '000013', name: 'GTBank' } },
		{
			account_name: 'ADA OBI',
			code: '058',
			bank_name: 'GTBank',
			status: 'success',
			message: 'Account number resolved',
		},
		...['NO NAME VENTURES', 'Not Just Ok Ltd', 'UNKNOWN NNA', 'NONSO ERROR', 'Account Holders Union'].map(
			(account_name) => ({
				account_name,
			}),
		),
	])('passes on an answer that names the holder: %j', async (answer) => {
		wire.on(VERIFY, success(answer));
		await expect(verify()).resolves.toEqual(answer);
	});

	it('says how alike an expected name is, and fails on a different one unless it may not', async () => {
		wire.on(VERIFY, success({ account_name: 'OBI ADA' }));
		await expect(verify({ expected_name: 'Ada Obi' })).resolves.toEqual({
			account_name: 'OBI ADA',
			name_match: 'exact',
		});
		await expect(verify({ expected_name: 'Mrs A. Obi' })).resolves.toMatchObject({ name_match: 'close' });
		await expect(verify({ expected_name: 'Eve Oko' })).rejects.toMatchObject({
			...{ code: 'refused', field: 'expected_name' },
			what: 'The bank names the holder OBI ADA, not Eve Oko',
			details: { name_match: 'different', account_name: 'OBI ADA' },
		});
		const different = verify({ expected_name: 'Eve Oko', fail_when_name: 'never' });
		await expect(different).resolves.toMatchObject({ name_match: 'different' });
		const close = verify({ expected_name: 'Mrs A. Obi', fail_when_name: 'close' });
		await expect(close).rejects.toMatchObject({ details: { name_match: 'close' } });
	});
});

describe('two names of an account holder', () => {
	it.each([
		['Ada Obi', 'ADA OBI', 'exact'],
		["O'Neil Ada", 'ADA ONEIL', 'exact'],
		['Ada Obi', 'Mrs. Ada Obi', 'close'],
		['A. Obi', 'OBI ADA', 'close'],
		['Ada Obi', 'ADA CHIOMA OBI', 'close'],
		['Obi Foods Ltd', 'OBI FOODS LIMITED', 'close'],
		['Ada Obi', 'EVE OBI', 'different'],
		['A. O.', 'ADA OBI', 'different'],
		['Ada Obi', 'Ada Obiora', 'different'],
		['Mrs', 'Mrs Ada Obi', 'different'],
		['Ada Obi', '...', 'different'],
	])('%j and %j are %s, whichever is expected', (one, other, match) => {
		expect([nameMatch(one, other), nameMatch(other, one)]).toEqual([match, match]);
	});
});
