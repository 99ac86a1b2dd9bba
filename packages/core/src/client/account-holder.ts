import { options, type Operation } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError, type ErrorCode } from '../errors';
import { isItem, textOf, type Item } from '../wire/payload';
import { named } from '../wire/records';
import type { Accepted } from '../wire/request';
import { nameMatch } from './name-match';

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
	if (isDenied(confirmation)) refuse('refused', 'account_number', 'The bank does not confirm this account');
	const shown = named('confirmation', confirmation);
	for (const field of ['account_number', 'bank_code'] as const) {
		const [wanted, other] = [String(account[field]), shown[field]];
		if (other !== undefined && !mayBe(other, wanted))
			refuse('refused', field, `The answer is about ${field} ${other}, not ${wanted}`);
	}
	return shown.account_name ?? refuse('not_found', 'account_number', `Nobody was found: ${whatIsShown(confirmation)}`);
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

/**
 * The interface does not show the confirmation, so a no may be a word or a number, stand in a part of it, and be called
 * `name_match`, `isVerified` or `not_found`, or be the word of a status.
 */
const isDenied = (confirmation: unknown): boolean =>
	isItem(confirmation) &&
	[confirmation, ...Object.values(confirmation).filter(isItem)].some((part) =>
		Object.keys(part).some((name) => {
			const said = textOf(part, name) ?? String(part[name]);
			const asked = meaningOf(name);
			if (asked === undefined) return /^(status|result|outcome)$/i.test(name) && meaningOf(said) === 'no';
			return (asked === 'yes' ? /^(false|no|n|0)$/i : /^(true|yes|y|1)$/i).test(said);
		}),
	);

const yes: ReadonlySet<string> = new Set(
	'verified valid match matched matches confirmed found exists ok success successful'.split(' '),
);
const no: ReadonlySet<string> = new Set(
	'not unverified invalid mismatch unmatched unconfirmed failed failure error rejected declined'.split(' '),
);

/** Whether a name, or the word of a status, means that the account is there. */
function meaningOf(name: string): 'yes' | 'no' | undefined {
	const words = name
		.replace(/(?<=[a-z])(?=[A-Z])/g, '_')
		.toLowerCase()
		.split(/[^a-z]+/);
	if (words.some((word) => no.has(word))) return 'no';
	return words.some((word) => yes.has(word)) ? 'yes' : undefined;
}

/** Banks group the digits of a number, and some hide all but the last: `******6789`. */
function mayBe(shown: string, wanted: string): boolean {
	const [there, here] = [shown, wanted].map((text) => text.replace(/[\s-]/g, '').toLowerCase()) as [string, string];
	const isHidden = (sign: string): boolean => /[*x•#]/.test(sign);
	return there.length === here.length && [...there].every((sign, at) => isHidden(sign) || sign === here[at]);
}

function whatIsShown(confirmation: unknown): string {
	const names = isItem(confirmation) ? Object.keys(confirmation) : [];
	return names.length === 0
		? 'the answer is empty'
		: `the answer shows ${names.slice(0, 10).join(', ')} and no name of a holder`;
}
