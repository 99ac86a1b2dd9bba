import {
	boolean,
	choice,
	choices,
	decimal,
	integer,
	namedChoice,
	onlyWhen,
	optional,
	text,
	timestamp,
	type Field,
	type Value,
} from './field';

/** A choice about how the client carries out an operation. It is never sent on the wire. */
export interface Option extends Field {
	/** The value when the option is not set. */
	default?: string | number | boolean | readonly string[];
	/** The value in a form where the option is not set, if an operation wants another than the default. */
	preset?: string | number | boolean | readonly string[];
	/** The value a form begins with where the option is added on purpose, and its default would change nothing. */
	begins?: string | number | boolean;
	/** The option has no effect without one of these, so forms that can show it only beside them do. */
	beside?: readonly string[];
	/** The options without one of which a single value of this one has no effect, by that value. */
	needs?: Readonly<Record<string, readonly string[]>>;
	/** Id of the operation that the option reads. */
	uses?: string;
	/** Further operations it reads, each with the purpose. */
	alsoUses?: Readonly<Record<string, string>>;
}

/** What a person has to choose: a side that nobody chose would be traded, and looks like one that somebody chose. */
export const isToChoose = ({ kind, optional, values = [], default: otherwise }: Option): boolean =>
	kind === 'choice' && !optional && otherwise === undefined && values.length > 1;

const sorts = {
	as_sent: { label: 'As the Service Sends Them' },
	newest_first: { label: 'Newest First' },
	oldest_first: { label: 'Oldest First' },
};
const outputs = {
	raw: { label: 'Raw (Everything)' },
	simplified: { label: 'Simplified (Usual Fields)' },
	selected_fields: { label: 'Selected Fields' },
};

/** Every option of an operation, with its texts. Operations name the options that apply to them. */
export const options = {
	business_key: optional(
		text({
			label: 'Business Key',
			help: 'Your own name for this order, such as an invoice number; the same key never places a second order, even after a crash',
			example: 'invoice-1001',
			maxLength: 512,
			names: 'body',
		}),
	),
	wait: {
		...namedChoice(
			{
				none: { label: 'None (Continue at Once)' },
				accepted: { label: 'Accepted (in the Order Book)' },
				final: { label: 'Final (Filled or Ended)' },
			},
			{
				label: 'Wait Until',
				help: 'When to continue: at once (none), when the order is in the book (accepted), or when it is finished (final)',
			},
		),
		default: 'none',
		begins: 'final',
	},
	wait_seconds: {
		...integer({
			label: 'Seconds to Wait',
			help: 'How long to wait at most; after that the flow continues with the latest state and says so',
			min: 1,
			max: 86_400,
		}),
		default: 60,
		beside: ['wait', 'wait_settled'],
	},
	fail_when: {
		...namedChoice(
			{
				never: { label: 'Never' },
				rejected: { label: 'Rejected' },
				unfilled: { label: 'Rejected or Unfilled' },
				time_limit: { label: 'Rejected, Unfilled or Too Late' },
			},
			{
				label: 'Fail When',
				help: 'Which outcomes are errors: rejected (the default), also cancelled unfilled (unfilled), also too late for Wait Until (time_limit), or none (never)',
			},
		),
		default: 'rejected',
		begins: 'time_limit',
		needs: { time_limit: ['wait'] },
	},
	wait_certain: {
		...boolean({
			label: 'Wait Until Certain',
			help: 'Whether to wait, up to five minutes and a quarter, until the order exists or can no longer arrive',
		}),
		default: false,
	},
	unknown_after_seconds: {
		...optional(
			integer({
				label: 'Seconds Until Unknown',
				help: 'How long to find out what became of it when replies are lost, before its outcome is reported as unknown; 120 if not set',
				min: 1,
			}),
		),
	},
	check_market: {
		...boolean({
			label: 'Check Market Rules',
			help: 'Whether to check precision, sizes and trading status before sending',
		}),
		default: true,
		uses: 'market.list',
	},
	check_balance: {
		...boolean({
			label: 'Check Balance',
			help: 'Whether to check that the available balance covers the order, a market buy at current prices; where balances cannot be read, it is sent anyway',
		}),
		default: false,
		uses: 'wallet.balances',
		alsoUses: { prices: 'market.orderBook', replaced: 'order.get' },
	},
	compare_balance: {
		...boolean({ label: 'Compare Balance', help: 'Whether to read the balances and say whether they cover the order' }),
		default: false,
		uses: 'wallet.balances',
	},
	dry_run: {
		...boolean({ label: 'Dry Run', help: 'Whether to show the exact request instead of sending it' }),
		default: false,
	},
	max_quantity: optional(
		decimal({
			label: 'Maximum Quantity',
			help: 'Refuse to send more than this amount',
			example: '1000.00',
			unit: 'base',
		}),
	),
	max_notional: optional(
		decimal({
			label: 'Maximum Value',
			help: 'Refuse to send if quantity times price exceeds this amount',
			example: '1500000.00',
			unit: 'quote',
		}),
	),
	allowed_sides: {
		...choice(['both', 'buy', 'sell'], { label: 'Allowed Sides', help: 'Refuse orders of any other side' }),
		default: 'both',
		begins: 'buy',
	},
	allowed_pairs: optional(
		text({
			label: 'Allowed Pairs',
			help: 'Refuse any other pair; several are separated by commas',
			example: 'USD/NGN',
			several: true,
		}),
	),
	verify_account: {
		...boolean({
			label: 'Verify Account First',
			help: 'Whether to verify the bank account and take the name of its holder before saving',
		}),
		default: false,
		uses: 'wallet.verifyAccount',
	},
	expected_name: optional(
		text({
			label: 'Expected Name',
			help: 'Who should hold the account; the answer says how alike the confirmed name is: exact, close (but for titles, initials, company forms), or different',
			example: 'Ada Obi',
			maxLength: 128,
		}),
	),
	fail_when_name: {
		...namedChoice(
			{
				different: { label: 'Different' },
				close: { label: 'Not Exact' },
				never: { label: 'Never' },
			},
			{
				label: 'Fail When Name Is',
				help: 'Which matches are errors: different (the default), also close, or none (never)',
			},
		),
		default: 'different',
		begins: 'close',
		needs: { different: ['expected_name'], close: ['expected_name'], never: ['expected_name'] },
	},
	read_back: {
		...boolean({
			label: 'Include Transaction',
			help: 'Whether to return the transaction of this step too, as soon as it is listed',
		}),
		default: false,
		uses: 'transaction.list',
	},
	wait_settled: {
		...boolean({
			label: 'Wait Until Settled',
			help: 'Whether to continue only when the transaction is finished: completed, failed or cancelled',
		}),
		default: false,
		uses: 'transaction.get',
	},
	currency: optional(
		text({ label: 'Currency', help: 'Only the balance in this wallet currency', example: 'NGN', pick: 'currency' }),
	),
	created_after: optional(
		timestamp({
			label: 'Created After',
			help: 'Only what was created at this time or later',
			example: '2026-01-01T00:00:00Z',
		}),
	),
	created_before: optional(
		timestamp({
			label: 'Created Before',
			help: 'Only what was created before this time',
			example: '2026-02-01T00:00:00Z',
		}),
	),
	sort: {
		...namedChoice(sorts, {
			label: 'Sort',
			help: 'Order of the results by creation time; sorting reads the whole list before it returns the first',
		}),
		default: 'as_sent',
		begins: 'newest_first',
	},
	output_mode: {
		...namedChoice(outputs, {
			label: 'Output',
			help: 'How much of each record to return: everything the service sends (raw), the usual fields (simplified), or the fields you choose',
		}),
		default: 'raw',
		begins: 'simplified',
	},
	output_fields: optional(
		onlyWhen(
			{ output_mode: 'selected_fields' },
			choices([] as readonly string[], {
				label: 'Fields',
				help: 'Which fields to return; what identifies a record is always included',
			}),
		),
	),
} as const satisfies Record<string, Option>;

/** The name of an option of {@link options}. */
export type OptionId = keyof typeof options;

/** How long a new order is awaited, and which of its ends are errors. */
export const orderWaits = ['wait', 'wait_seconds', 'fail_when'] as const satisfies OptionId[];

/** The options that filter and sort a list in the client, beyond the filters of the service. */
export const listChoices = ['created_after', 'created_before', 'sort'] as const satisfies OptionId[];

/** The options that select the fields of a wide answer. */
export const outputModes = ['output_mode', 'output_fields'] as const satisfies OptionId[];

/** The options every order write shares. */
export const writeGuards = [
	'max_quantity',
	'max_notional',
	'allowed_pairs',
	'allowed_sides',
	'check_balance',
	'dry_run',
] as const satisfies OptionId[];

/** The options of a call, by option id. */
export type Options = { [Id in OptionId]?: Value<(typeof options)[Id]> };

/** The options of one operation; any other option is refused. */
export type OptionsOf<O> = O extends { options: readonly (infer Id extends OptionId)[] }
	? Pick<Options, Id>
	: Record<string, never>;
