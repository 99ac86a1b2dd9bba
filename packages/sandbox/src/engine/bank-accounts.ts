import { banks, type Bank } from './banks';
import type { Fields } from './order-request';
import { invalid } from './refusal';

const ACCOUNT_NUMBER = /^\d{10}$/;
const firstNames = [
	'Adaeze',
	'Bola',
	'Chinedu',
	'Damilola',
	'Emeka',
	'Folake',
	'Gbenga',
	'Halima',
	'Ifeoma',
	'Kunle',
	'Ngozi',
	'Olumide',
	'Sadiq',
	'Temitope',
	'Uche',
	'Yetunde',
];
const lastNames = [
	'Abubakar',
	'Adeyemi',
	'Balogun',
	'Chukwu',
	'Danjuma',
	'Eze',
	'Ibrahim',
	'Lawal',
	'Nwosu',
	'Obi',
	'Ogunleye',
	'Okafor',
	'Okoro',
	'Oyelaran',
	'Sule',
	'Usman',
];

export interface VerifiedAccount {
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
