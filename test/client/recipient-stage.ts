/** A recipient as it is saved, and the routes it takes. */
export const CREATE = 'POST /partner/wallets/recipients';
export const VERIFY = 'POST /partner/wallets/fiat/verify-account';
export const account = {
	recipient_type: 'fiat',
	currency: 'NGN',
	label: 'Rent',
	bank_code: '058',
	account_number: '0123456789',
} as const;
