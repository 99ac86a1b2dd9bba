import { aside, id, namedChoice, onlyWhen, optional, text } from './field';
import { freeBody, operation } from './operation';
import { outputModes } from './options';

const assumed = 'The body is not shown; the fields of a saved recipient are sent';
const fiat = { recipient_type: 'fiat' };
const crypto = { recipient_type: 'crypto' };
const recipientType = namedChoice(
	{ fiat: { label: 'Bank Account (Fiat)' }, crypto: { label: 'Blockchain Address (Crypto)' } },
	{ label: 'Recipient Type', help: 'A bank account or a blockchain address' },
);
const currency = text({ label: 'Currency', help: 'Wallet currency or settlement rail', example: 'NGN', maxLength: 16 });
const walletOrRail = {
	help: 'NGN for a bank account, a stablecoin for a blockchain address',
	example: 'USDT',
};
const label = text({
	label: 'Label',
	help: 'Name to recognise the recipient by',
	example: 'Lagos office rent',
	maxLength: 128,
});
const recipientId = id({ label: 'Recipient ID', help: 'Identifier of the saved recipient', pick: 'recipient' });

export const bank = text({
	label: 'Bank',
	help: 'Bank of the account, from the live bank list',
	example: '058',
	pick: 'bank',
});
export const accountNumber = text({
	label: 'Account Number',
	help: 'Number of the bank account',
	example: '0123456789',
	digits: 'account',
	maxLength: 34,
	names: 'body',
});
const accountName = text({
	label: 'Account Name',
	help: 'Holder of the account as the bank confirmed it',
	example: 'Ada Obi',
	maxLength: 128,
});
const chain = text({ label: 'Chain', help: 'Blockchain of the address', example: 'TRON', pick: 'chain' });
const cryptoAddress = text({
	label: 'Address',
	help: 'Address on that chain; a wrong one cannot be undone',
	maxLength: 128,
	names: 'address',
});

const recipient = {
	id: 'text',
	recipient_type: 'text',
	currency: 'text',
	label: 'text',
	account_name: 'text?',
	account_number: 'text?',
	bank_code: 'text?',
	bank_name: 'text?',
	chain: 'text?',
	crypto_address: 'text?',
	created_at: 'timestamp',
	updated_at: 'timestamp',
} as const;

/** The usual fields of a recipient. */
const essentials = [
	'id',
	'label',
	'recipient_type',
	'currency',
	'account_name',
	'account_number',
	'bank_name',
	'chain',
	'crypto_address',
] as const;

export const recipients = {
	'recipient.create': operation({
		label: 'Create Recipient',
		action: 'Create recipient',
		help: 'Save a bank account or address in the address book; moves no money',
		run: {
			via: 'rest',
			route: 'POST /partner/wallets/recipients',
			retry: {
				verifyBy: {
					list: 'recipient.list',
					fields: ['recipient_type', 'currency', 'bank_code', 'account_number', 'chain', 'crypto_address'],
				},
			},
		},
		access: 'recipients',
		input: {
			recipient_type: { ...recipientType, assumed },
			currency: { ...currency, ...walletOrRail, onlyValue: { value: 'NGN', when: fiat }, assumed },
			label: { ...label, assumed },
			bank_code: onlyWhen(fiat, { ...bank, assumed }),
			account_number: onlyWhen(fiat, { ...accountNumber, assumed }),
			account_name: aside(onlyWhen(fiat, { ...accountName, assumed })),
			chain: onlyWhen(crypto, { ...chain, assumed }),
			crypto_address: onlyWhen(crypto, { ...cryptoAddress, assumed }),
			body: freeBody(assumed),
		},
		options: ['verify_account', ...outputModes],
		essentials,
		output: recipient,
		palette: 'recipients',
	}),
	'recipient.list': operation({
		label: 'Get Many Recipients',
		action: 'Get many recipients',
		help: 'List the saved recipients',
		run: { via: 'rest', route: 'GET /partner/wallets/recipients', retry: 'safe' },
		access: 'recipients',
		input: {
			recipient_type: optional({ ...recipientType, help: 'Only bank accounts or only blockchain addresses' }),
			currency: optional({ ...currency, help: 'Only recipients with this wallet currency or settlement rail' }),
		},
		output: recipient,
		options: outputModes,
		essentials,
		list: { identifiedByFirstOf: ['id', 'recipient_id'], paging: 'none' },
		palette: 'recipients',
	}),
	'recipient.update': operation({
		label: 'Update Recipient',
		action: 'Update recipient',
		help: 'Change the label or other editable fields of a saved recipient',
		run: { via: 'rest', route: 'PATCH /partner/wallets/recipients/{recipient_id}', retry: 'safe' },
		access: 'recipients',
		input: {
			recipient_id: recipientId,
			label: optional({ ...label, assumed }),
			body: {
				...freeBody(assumed),
				holds: { bank_code: bank, account_number: accountNumber, crypto_address: cryptoAddress },
			},
		},
		output: recipient,
		options: outputModes,
		essentials,
		palette: 'recipients',
	}),
	'recipient.delete': operation({
		label: 'Delete Recipient',
		action: 'Delete recipient',
		help: 'Remove a saved recipient; one that is already gone counts as removed',
		run: {
			via: 'rest',
			route: 'DELETE /partner/wallets/recipients/{recipient_id}',
			retry: { deletedFrom: 'recipient.list' },
		},
		access: 'recipients',
		input: { recipient_id: recipientId },
		output: { deleted: 'boolean', id: 'text' },
		adds: ['already_gone'],
		outputNotShown: 'The answer is not shown; where it does not say that it is done, the list decides',
		palette: 'recipients',
	}),
};
