import { options, pickers, type Operation, type OperationId, type Option, type OptionId } from '../catalogue';
import { compare } from '../decimal';
import { isExchangeError, ExchangeError } from '../errors';
import type { CallContext, Read } from '../context';
import { checkFunds, requiredFunds, type FundedTerms } from './funds';
import type { Accepted } from '../wire/request';
import { marketOf, type Markets } from './market-rules';
import { firstOf, type Item, itemsIn } from '../wire/payload';
import { confirmHolder } from './account-holder';
import { checkRules } from './order-rules';

/** The reads that the checks use. */
export interface Sources extends Markets {
	/** Reads once, without retry: a check must not delay the call for long. */
	read: Read;
	/** Reads a list once, without retry, or takes it from the cache when it was read a short time ago. */
	cached: (id: OperationId) => Promise<unknown>;
}

/**
 * Checks a write against market rules, funds and bank data before it is sent. Returns the input, with the values that a
 * check corrects or adds.
 */
export async function checkBeforeSending(
	operation: Operation,
	accepted: Accepted,
	context: CallContext,
	sources: Sources,
): Promise<Accepted> {
	if (isChosen('check_market', operation, context) || isChosen('check_balance', operation, context)) {
		await checkOrder(operation, accepted as unknown as FundedTerms, context, sources);
	}
	if (accepted.bank_code === undefined) {
		if (isChosen('verify_account', operation, context)) context.warn?.({ kind: 'not_checked', text: NO_HOLDER });
		return accepted;
	}
	const banks = () => sources.cached(pickers.bank.operation as OperationId);
	const listed = await withListedBank(operation, accepted, context, banks);
	if (!isChosen('verify_account', operation, context)) return listed;
	return confirmHolder(operation, listed, context, sources.read);
}

const NO_HOLDER = `${options.verify_account.label}: no bank says whose a blockchain address is, so it is saved as it was entered`;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether an option applies to an operation and is on, by the caller's choice or by default. */
export function isChosen(option: OptionId, operation: Operation, { options: chosen }: CallContext): boolean {
	if (!operation.options?.includes(option)) return false;
	return (chosen?.[option] ?? (options[option] as Option).default) === true;
}

async function checkOrder(
	operation: Operation,
	terms: FundedTerms,
	context: CallContext,
	sources: Sources,
): Promise<void> {
	const list = await unlessUnreadable(context, 'markets', sources.cached(options.check_market.uses));
	const market = isObject(list) ? marketOf(operation, terms.pair_id, sources.marketsIn(list)) : undefined;
	if (isObject(list) && !market)
		notChecked(context, 'The list of markets names no pair, so the rules of the market were not checked');
	if (market && isChosen('check_market', operation, context)) {
		const skipped = checkRules(terms, sources.rulesOf(market), operation.label);
		if (skipped.length > 0)
			notChecked(
				context,
				`The market record of ${terms.pair_id} does not show ${skipped.join(', ')}, so that was not checked`,
			);
	}
	if (isChosen('check_balance', operation, context))
		await checkBalance({ label: operation.label, terms, market: market ?? {} }, context, sources.read);
}

async function checkBalance(
	{ label, terms, market }: { label: string; terms: FundedTerms; market: Item },
	context: CallContext,
	read: Read,
): Promise<void> {
	const skip = (reason: string | undefined): void => {
		if (reason !== undefined) notChecked(context, `The available balance was not checked: ${reason}`);
	};
	const name = terms.order_id === undefined ? 'prices' : 'orders';
	const need = await unlessUnreadable(
		context,
		name,
		requiredFunds(terms, market, (id, input) => read(id, input, context)),
	);
	if (need === undefined || typeof need === 'string') return skip(need);
	if (compare(need.amount, '0') <= 0) return;
	const balances = await unlessUnreadable(context, 'balances', read(options.check_balance.uses, {}, context));
	if (balances !== undefined) skip(checkFunds(need, balances, terms, label));
}

/** A check whose data cannot be read warns and passes: the service makes the same check. */
const unlessUnreadable = <T>(context: CallContext, name: string, read: Promise<T>): Promise<T | undefined> =>
	read.catch((error: unknown) => {
		if (!isExchangeError(error) || error.code === 'aborted') throw error;
		notChecked(context, `The ${name} could not be read (${error.code}), so the order was not checked against them`);
		return undefined;
	});

const notChecked = (context: CallContext, text: string): void => context.warn?.({ kind: 'not_checked', text });

/** Banks proposed when a code is not listed. */
const BANKS_PROPOSED_MAX = 5;

/**
 * The input with its bank code as the live list has it; codes change, so none is built in. A code that lost its leading
 * zeros in a spreadsheet gets them back where only one bank can be meant, and any other is refused. (Interface, part 4.)
 */
async function withListedBank(
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
	const [only, ...more] = codes.filter((each) => withoutLeadingZeros(each!) === withoutLeadingZeros(code));
	if (only === undefined || more.length > 0) throw bankNotListed(operation, code, banks);
	warn?.({
		kind: 'repaired',
		text: `Bank code ${code} was sent as ${only}, the only one of the list that it can mean`,
	});
	return { ...accepted, bank_code: only };
}

const codeOf = (bank: Item): string | undefined => firstOf(bank, pickers.bank.value);
const withoutLeadingZeros = (code: string): string => code.trim().replace(/^0+/, '');

const numberGiven = ({ label }: Operation, code: string): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: label,
		field: 'bank_code',
		what: `Bank is the number ${code}, which may have lost its leading zeros, and the list of banks could not be read`,
		advice: 'Give the bank code as text, such as "058"; nothing was sent',
	});

const bankNotListed = ({ label }: Operation, code: string, banks: Item[]): ExchangeError =>
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
