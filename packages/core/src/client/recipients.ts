import { options, type Operation } from '../catalogue';
import { ExchangeError, isExchangeError } from '../errors';
import type { CallContext, Read } from '../context';
import type { Accepted } from '../wire/request';
import type { Item } from '../wire/payload';
import { holderOf } from './account-holder';
import { nameMatch } from './name-match';

/** Verifies the bank account and uses the account name the bank returns. A different given name is refused. */
export async function confirmHolder(
	operation: Operation,
	accepted: Accepted,
	context: CallContext,
	read: Read,
): Promise<Accepted> {
	const { bank_code, account_number } = accepted;
	const account = { bank_code: bank_code!, account_number: account_number! };
	const holder = holderOf(operation, account, await confirm(operation, account, context, read));
	if (accepted.account_name !== undefined && nameMatch(String(accepted.account_name), holder) !== 'exact') {
		throw new ExchangeError('invalid_input', {
			operation: operation.label,
			field: 'account_name',
			what: `The bank names the holder ${holder}, not ${String(accepted.account_name)}`,
			advice: 'Check the bank, the account number and the name; nothing was saved',
			details: { rule: 'verify_account' },
		});
	}
	return { ...accepted, account_name: holder };
}

async function confirm(operation: Operation, account: Accepted, context: CallContext, read: Read): Promise<Item> {
	try {
		return (await read(options.verify_account.uses, account, context)) as Item;
	} catch (error) {
		if (!isExchangeError(error) || error.code === 'aborted') throw error;
		throw new ExchangeError(error.code, {
			operation: operation.label,
			field: 'account_number',
			status: error.status,
			what: 'The bank account could not be verified, so nothing was saved',
			serviceMessage: error.serviceMessage,
			advice: error.code === 'refused' ? 'Check the bank and the account number' : error.advice,
		});
	}
}
