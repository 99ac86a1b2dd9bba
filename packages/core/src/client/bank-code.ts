import { pickers, type Operation } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError } from '../errors';
import { firstOf, itemsIn, type Item } from '../wire/payload';
import type { Accepted } from '../wire/request';

/** Banks proposed when a code is not listed. */
const BANKS_PROPOSED_MAX = 5;

/**
 * The input with its bank code as the live list has it; codes change, so none is built in. A code that lost its leading
 * zeros in a spreadsheet gets them back where only one bank can be meant, and any other is refused. (Interface, part 4.)
 */
export async function withListedBank(
	operation: Operation,
	accepted: Accepted,
	{ warn }: CallContext,
	readBanks: () => Promise<unknown>,
): Promise<Accepted> {
	const banks = await readBanks().then(
		(data) => itemsIn(data, 'banks').filter((bank) => codeOf(bank) !== undefined),
		() => [],
	);
	const { bank_code: given } = accepted;
	const code = String(given);
	if (banks.length === 0 && typeof given === 'number') throw numberGiven(operation, code);
	if (banks.length === 0) {
		warn?.({ kind: 'not_checked', text: 'The list of banks could not be read, so the bank code was not checked' });
		return accepted;
	}
	const codes = [...new Set(banks.map(codeOf))];
	if (codes.includes(code)) return { ...accepted, bank_code: code };
	const [only, ...more] = codes.filter((each) => withoutZeros(each!) === withoutZeros(code));
	if (only === undefined || more.length > 0) throw notListed(operation, code, banks);
	warn?.({
		kind: 'repaired',
		text: `Bank code ${code} was sent as ${only}, the only one of the list that it can mean`,
	});
	return { ...accepted, bank_code: only };
}

const codeOf = (bank: Item): string | undefined => firstOf(bank, pickers.bank.value);
const withoutZeros = (code: string): string => code.trim().replace(/^0+/, '');

const numberGiven = ({ label }: Operation, code: string): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: label,
		field: 'bank_code',
		what: `Bank is the number ${code}, which may have lost its leading zeros, and the list of banks could not be read`,
		advice: 'Give the bank code as text, such as "058"; nothing was sent',
	});

const notListed = ({ label }: Operation, code: string, banks: Item[]): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: label,
		field: 'bank_code',
		what: `Bank code ${code} is not in the list of supported banks`,
		advice: `Choose a bank from the live list, such as ${proposals(banks, code)}; nothing was sent`,
	});

/** Banks whose code begins the same, or else the first ones of the list. */
function proposals(banks: Item[], code: string): string {
	const alike = banks.filter((bank) => codeOf(bank)?.startsWith(code.slice(0, 2)));
	return (alike.length > 0 ? alike : banks)
		.slice(0, BANKS_PROPOSED_MAX)
		.map((bank) => `${codeOf(bank)} (${firstOf(bank, pickers.bank.words) ?? 'no name'})`)
		.join(', ');
}
