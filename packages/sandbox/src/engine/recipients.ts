/** The address book of recipients. Nothing here moves money. (Interface, part 1.) */
import { conflict, invalid, notFound } from './refusal';
import { drawUuid } from './random';
import { oneOf, type Fields } from './order-request';
import { verifiedAccount } from './bank-accounts';
import { chainFor } from './chains';
import type { Account, Recipient } from './state';
import type { World } from './world';

const RECIPIENTS_MAX = 1_000;
const LABEL_CHARACTERS_MAX = 128;
const ADDRESS = /^[A-Za-z0-9]{20,128}$/;

type Details = Omit<Recipient, 'id' | 'createdAt' | 'updatedAt'>;

export function createRecipient(world: World, account: Account, fields: Fields): Recipient {
	if (account.recipients.size >= RECIPIENTS_MAX)
		throw conflict('too_many_recipients', `An account keeps at most ${RECIPIENTS_MAX} recipients.`);
	const details =
		oneOf(fields, 'recipient_type', ['fiat', 'crypto']) === 'fiat' ? fiatDetails(fields) : cryptoDetails(fields);
	for (const other of account.recipients.values()) {
		if (sameDestination(other, details))
			throw conflict('duplicate_recipient', 'A recipient with these details is saved already.');
	}
	const { now } = world.state;
	const recipient: Recipient = { ...details, id: drawUuid(world.state), createdAt: now, updatedAt: now };
	account.recipients.set(recipient.id, recipient);
	return recipient;
}

function fiatDetails(fields: Fields): Details {
	const currency = textOf(fields, 'currency');
	if (currency !== 'NGN') throw invalid('invalid_currency', 'Bank recipients are kept in NGN.');
	const { bank, accountNumber, accountName } = verifiedAccount(fields);
	const name = fields.account_name;
	if (typeof name === 'string' && name !== '' && name.toLowerCase() !== accountName.toLowerCase()) {
		throw invalid('account_name_mismatch', 'account_name is not the name the bank has for this account number.');
	}
	return {
		type: 'fiat',
		currency,
		label: labelOf(fields),
		accountName,
		accountNumber,
		bankCode: bank.code,
		bankName: bank.name,
		chain: null,
		cryptoAddress: null,
	};
}

function cryptoDetails(fields: Fields): Details {
	const currency = textOf(fields, 'currency');
	const chain = chainFor(textOf(fields, 'chain'), currency);
	const cryptoAddress = textOf(fields, 'crypto_address');
	if (!ADDRESS.test(cryptoAddress)) throw invalid('invalid_address', 'crypto_address is not an address of this chain.');
	return {
		type: 'crypto',
		currency,
		label: labelOf(fields),
		accountName: null,
		accountNumber: null,
		bankCode: null,
		bankName: null,
		chain: chain.code,
		cryptoAddress,
	};
}

const sameDestination = (a: Details, b: Details): boolean =>
	a.currency === b.currency &&
	a.bankCode === b.bankCode &&
	a.accountNumber === b.accountNumber &&
	a.chain === b.chain &&
	a.cryptoAddress === b.cryptoAddress;

/** Only the label: a changed destination would be another recipient. */
const EDITABLE = ['label'];

export function updateRecipient(world: World, account: Account, id: string, fields: Fields): Recipient {
	const recipient = recipientOf(account, id);
	const fixed = Object.keys(fields).filter((name) => !EDITABLE.includes(name));
	if (fixed.length > 0)
		throw invalid('field_not_editable', `Only ${EDITABLE.join(', ')} of a recipient may be changed.`);
	if (fields.label !== undefined) recipient.label = labelOf(fields);
	recipient.updatedAt = Math.max(world.state.now, recipient.updatedAt + 1);
	return recipient;
}

export function deleteRecipient(account: Account, id: string): Recipient {
	const recipient = recipientOf(account, id);
	account.recipients.delete(id);
	return recipient;
}

function recipientOf(account: Account, id: string): Recipient {
	const recipient = account.recipients.get(id);
	if (!recipient) throw notFound('unknown_recipient', 'The account has no such recipient.');
	return recipient;
}

function labelOf(fields: Fields): string {
	const label = textOf(fields, 'label');
	if (label.length > LABEL_CHARACTERS_MAX)
		throw invalid('invalid_label', `label may have at most ${LABEL_CHARACTERS_MAX} characters.`);
	return label;
}

export function textOf(fields: Fields, name: string): string {
	const value = fields[name];
	if (typeof value !== 'string' || value.trim() === '') throw invalid(`invalid_${name}`, `${name} must be a text.`);
	return value;
}
