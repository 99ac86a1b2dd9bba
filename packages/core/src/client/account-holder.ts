import { options, type Operation } from '../catalogue';
import type { CallContext, Read } from '../context';
import { ExchangeError, type ErrorCode, isExchangeError } from '../errors';
import { isItem, textOf, type Item } from '../wire/payload';
import { isOfBank, named } from '../wire/records';
import type { Accepted } from '../wire/request';
import { nothingWord, saysFailure } from '../wire/response';

/**
 * The holder whom the bank names for an account. An answer that names nobody, says no, or is about another account
 * confirms nothing, so it is an error: somebody sends money on the strength of it. (Interface, part 4.)
 */
export function holderOf({ label }: Operation, account: Accepted, confirmation: unknown): string {
	const refuse = (code: ErrorCode, field: string, what: string): never => {
		throw new ExchangeError(code, {
			operation: label,
			field,
			what,
			advice: 'Check the bank and the account number; nothing was created',
			details: { rule: 'verify_account' },
		});
	};
	if (isDenied(confirmation, account)) refuse('refused', 'account_number', 'The bank does not confirm this account');
	const shown = named('confirmation', confirmation);
	for (const field of ['account_number', 'bank_code'] as const) {
		const [wanted, other] = [String(account[field]), shown[field]];
		if (other !== undefined && !mayBeMasked(other, wanted))
			refuse('refused', field, `The answer is about ${field} ${other}, not ${wanted}`);
	}
	const { account_name: holder = '' } = shown;
	return wordsOf(holder).some(isSomebody)
		? holder
		: refuse('not_found', 'account_number', `Nobody was found: ${whatIsShown(confirmation)}`);
}

/** The confirmation, with how alike the confirmed name is to the expected one. */
export function compareHolder(
	{ label }: Operation,
	holder: string,
	confirmation: Item,
	{ options: { expected_name: expected, fail_when_name: fails = options.fail_when_name.default } = {} }: CallContext,
): Item {
	if (expected === undefined) return confirmation;
	const match = nameMatch(expected, holder);
	const isUnwanted = match === 'different' || (match === 'close' && fails === 'close');
	if (fails === 'never' || !isUnwanted) return { ...confirmation, name_match: match };
	throw new ExchangeError('refused', {
		operation: label,
		field: 'expected_name',
		what: `The bank names the holder ${holder}, not ${expected}`,
		advice: 'Check the account with whoever gave it to you before any money is sent there; nothing was created',
		details: { rule: 'expected_name', name_match: match, account_name: holder },
	});
}

const ASKED = /verif|valid|match|confirm|found|exist|active|success/i;
const DENIED =
	/(not|un|in)_?(verif|valid|match|confirm|found|active)|mismatch|closed|dormant|blocked|frozen|suspended/i;

/**
 * The interface does not show the confirmation. So a no may be anywhere in it: as in any answer, as a no to what was asked,
 * such as `name_match`, as a yes to what denies it, such as `not_found`, or as the word of a status. A bank has a code too.
 */
const isDenied = (confirmation: unknown, { bank_code }: Accepted): boolean =>
	isItem(confirmation) &&
	[confirmation, ...Object.entries(confirmation).flatMap(([name, part]) => (isOfBank(name) ? [] : part))].some(
		(part) =>
			isItem(part) &&
			(saysFailure(part.code === bank_code ? { ...part, code: undefined } : part, 'verify') ||
				Object.keys(part).some((name) => {
					const said = textOf(part, name) ?? String(part[name]);
					if (/^(account_?)?(status|result|outcome)$/i.test(name)) return DENIED.test(said);
					return DENIED.test(name)
						? /^(true|yes|y|1)$/i.test(said)
						: ASKED.test(name) && /^(false|no|n|0)$/i.test(said);
				})),
	);

/** A value without the signs between its parts, because banks group the digits of a number, and in one case. */
export const withoutGrouping = (text: string): string => text.replace(/[\s-]/g, '').toLowerCase();

/** Whether a shown value may be the wanted one: some services hide all but its end, as in `******6789`. */
export function mayBeMasked(shown: string, wanted: string): boolean {
	const [there, here] = [withoutGrouping(shown), withoutGrouping(wanted)];
	const isHidden = (sign: string): boolean => /[*x•#]/.test(sign);
	return there.length === here.length && [...there].every((sign, at) => isHidden(sign) || sign === here[at]);
}

function whatIsShown(confirmation: unknown): string {
	const names = isItem(confirmation) ? Object.keys(confirmation) : [];
	return names.length === 0
		? 'the answer is empty'
		: `the answer shows ${names.slice(0, 10).join(', ')} and no name of a holder`;
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

/** How alike two names of an account holder are. */
type NameMatch = 'exact' | 'close' | 'different';

const titles =
	'mr mrs ms miss dr chief alhaji alhaja alh engr prof professor sir barr barrister pastor rev prince princess hon otunba mallam capt';
const companyForms = 'ltd limited plc inc incorporated llc llp co company corp corporation nig nigeria';
const besideTheName: ReadonlySet<string> = new Set(`${titles} ${companyForms}`.split(' '));

/**
 * Compares a name somebody expects with the one a bank confirms. `exact`: the same words, because banks write names in
 * capitals, without accents and in either order. `close`: the same but for titles, company forms, initials or further
 * names. Anything else is `different`.
 */
export function nameMatch(expected: string, confirmed: string): NameMatch {
	const [wanted, shown] = [wordsOf(expected), wordsOf(confirmed)];
	if (wanted.length === 0 || shown.length === 0) return 'different';
	if ([...wanted].sort().join(' ') === [...shown].sort().join(' ')) return 'exact';
	return isClose(wanted.filter(isName), shown.filter(isName)) ? 'close' : 'different';
}

const wordsOf = (name: string): string[] =>
	name
		.normalize('NFKD')
		.replace(/[\p{M}'’]/gu, '')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter(Boolean);

/** Words of which banks and programs make the sentence that they write where they found no holder. */
const nobody: ReadonlySet<string> = new Set(
	`a n account acct available bank be beneficiary by could customer data details does error exist exists failed for found holder in
	invalid is match mismatch name no not nuban number of or please record resolve retrieve the this to try again unable unavailable
	unknown validate verify was with wrong`.split(/\s+/),
);
const isSomebody = (word: string): boolean => /\p{L}/u.test(word) && !nothingWord.test(word) && !nobody.has(word);

const isName = (word: string): boolean => !besideTheName.has(word);

/**
 * Whether the longer name has every word of the shorter one, written out or as an initial, and at least one of them
 * written out.
 */
function isClose(wanted: string[], shown: string[]): boolean {
	const [shorter, longer] = wanted.length <= shown.length ? [wanted, [...shown]] : [shown, [...wanted]];
	const take = (isIt: (word: string) => boolean): boolean => {
		const at = longer.findIndex(isIt);
		if (at >= 0) longer.splice(at, 1);
		return at >= 0;
	};
	const isSingle = shorter.length === 1 && longer.length > 1;
	const rest = shorter.filter((word) => word.length === 1 || !take((other) => other === word));
	return !isSingle && rest.length < shorter.length && rest.every((word) => take((other) => isInitial(word, other)));
}

/** `A` and `Ada` are one, in either of the names. */
const isInitial = (word: string, other: string): boolean =>
	(word.length === 1 || other.length === 1) && word[0] === other[0];
