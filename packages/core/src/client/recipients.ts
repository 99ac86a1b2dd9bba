import { options, pickers, type Operation } from '../catalogue';
import { ExchangeError, isExchangeError } from '../errors';
import type { CallContext, Read } from '../context';
import type { Accepted } from '../wire/request';
import { firstOf, itemsIn, type Item } from '../wire/payload';
import { holderOf } from './account-holder';
import { nameMatch } from './name-match';

/** Banks proposed when a code is no longer listed. */
const BANKS_PROPOSED_MAX = 5;

/** Refuses a bank code that is missing from the live list. Codes change, so none is built in. (Interface, part 4.) */
export async function refuseStaleBank(
	operation: Operation,
	accepted: Accepted,
	context: CallContext,
	readBanks: () => Promise<unknown>,
): Promise<void> {
	const banks = await readBanks().then(
		(data) => itemsIn(data, 'banks'),
		() => [],
	);
	const coded = banks.filter((bank) => codeOf(bank) !== undefined);
	if (coded.length === 0) {
		context.warn?.({
			kind: 'not_checked',
			text: 'The list of banks could not be read, so the bank code was not checked',
		});
		return;
	}
	const code = String(accepted.bank_code);
	if (coded.some((bank) => codeOf(bank) === code)) return;
	throw new ExchangeError('invalid_input', {
		operation: operation.label,
		field: 'bank_code',
		what: `Bank code ${code} is not in the list of supported banks`,
		advice: `Choose a bank from the live list, such as ${proposals(coded, code)}; nothing was sent`,
	});
}

const codeOf = (bank: Item): string | undefined => firstOf(bank, pickers.bank.value);

/** Banks whose code begins the same, or else the first ones of the list. */
function proposals(banks: Item[], code: string): string {
	const alike = banks.filter((bank) => codeOf(bank)?.startsWith(code.slice(0, 2)));
	return (alike.length > 0 ? alike : banks)
		.slice(0, BANKS_PROPOSED_MAX)
		.map((bank) => `${codeOf(bank)} (${firstOf(bank, pickers.bank.words) ?? 'no name'})`)
		.join(', ');
}

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
