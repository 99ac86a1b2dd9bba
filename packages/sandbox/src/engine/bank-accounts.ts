import type { Fields } from './order-request';
import { invalid } from './refusal';

const ACCOUNT_NUMBER = /^\d{10}$/;
const firstNames = 'Adaeze Bola Chinedu Damilola Emeka Folake Gbenga Halima'.split(' ');
const lastNames = 'Abubakar Balogun Danjuma Eze Lawal Nwosu Okafor Usman'.split(' ');

interface VerifiedAccount {
	bank: Bank;
	accountNumber: string;
	accountName: string;
}

/** Looks up the account holder, deterministic per bank and account number. Ten zeros are an unknown account. */
export function verifiedAccount({ bank_code: bankCode, account_number: accountNumber }: Fields): VerifiedAccount {
	const bank = banks.find(({ code }) => code === bankCode);
	if (!bank) throw invalid('invalid_bank_code', 'bank_code is not a bank of GET /partner/wallets/fiat/banks.');
	if (typeof accountNumber !== 'string' || !ACCOUNT_NUMBER.test(accountNumber)) {
		throw invalid('invalid_account_number', 'account_number must be ten digits.');
	}
	if (/^0+$/.test(accountNumber))
		throw invalid('account_number_mismatch', 'The bank knows no account with this number.');
	return { bank, accountNumber, accountName: nameFor(`${bank.code}${accountNumber}`) };
}

function nameFor(text: string): string {
	let hash = 2166136261;
	for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619) >>> 0;
	return `${firstNames[hash % firstNames.length]} ${lastNames[(hash >>> 8) % lastNames.length]}`;
}

interface Bank {
	code: string;
	name: string;
}

/** Nigerian banks with the codes that bank transfers use. */
export const banks: readonly Bank[] = [
	{ code: '044', name: 'Access Bank' },
	{ code: '063', name: 'Access Bank (Diamond)' },
	{ code: '035A', name: 'ALAT by Wema' },
	{ code: '023', name: 'Citibank Nigeria' },
	{ code: '050', name: 'Ecobank Nigeria' },
	{ code: '562', name: 'Ekondo Microfinance Bank' },
	{ code: '070', name: 'Fidelity Bank' },
	{ code: '011', name: 'First Bank of Nigeria' },
	{ code: '214', name: 'First City Monument Bank' },
	{ code: '00103', name: 'Globus Bank' },
	{ code: '058', name: 'Guaranty Trust Bank' },
	{ code: '030', name: 'Heritage Bank' },
	{ code: '301', name: 'Jaiz Bank' },
	{ code: '082', name: 'Keystone Bank' },
	{ code: '50211', name: 'Kuda Microfinance Bank' },
	{ code: '303', name: 'Lotus Bank' },
	{ code: '50515', name: 'Moniepoint Microfinance Bank' },
	{ code: '999992', name: 'OPay' },
	{ code: '526', name: 'Parallex Bank' },
	{ code: '999991', name: 'PalmPay' },
	{ code: '076', name: 'Polaris Bank' },
	{ code: '105', name: 'PremiumTrust Bank' },
	{ code: '101', name: 'Providus Bank' },
	{ code: '125', name: 'Rubies Microfinance Bank' },
	{ code: '51310', name: 'Sparkle Microfinance Bank' },
	{ code: '221', name: 'Stanbic IBTC Bank' },
	{ code: '068', name: 'Standard Chartered Bank' },
	{ code: '232', name: 'Sterling Bank' },
	{ code: '100', name: 'SunTrust Bank' },
	{ code: '302', name: 'TAJBank' },
	{ code: '102', name: 'Titan Trust Bank' },
	{ code: '032', name: 'Union Bank of Nigeria' },
	{ code: '033', name: 'United Bank for Africa' },
	{ code: '215', name: 'Unity Bank' },
	{ code: '566', name: 'VFD Microfinance Bank' },
	{ code: '035', name: 'Wema Bank' },
	{ code: '057', name: 'Zenith Bank' },
];
