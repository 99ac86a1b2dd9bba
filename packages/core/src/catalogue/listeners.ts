import { boolean, choices, decimal, namedChoice, optional, text } from './field';
import type { Option } from './options';
import { orderStatuses, transactionStatuses } from './statuses';
import { topics, type TopicId } from './topics';

/** One field of a trigger's form. */
export interface ListenerField extends Option {
	/** The topics it is about: it applies only where one of them is chosen. */
	about?: readonly TopicId[];
}

/** The fields of a trigger by name. */
export type ListenerFields = Readonly<Record<string, ListenerField>>;

/** What a trigger can wait for, and the fields in which a person says so. */
export interface ListenerForm {
	/** The name in a form, in title case. */
	label: string;
	/** One sentence for a person at a form, without a final period. */
	help: string;
	/** What the trigger waits for. */
	fields: ListenerFields;
	/** What leaves out some of that. */
	filters: ListenerFields;
	/** What changes how that is told. */
	options: ListenerFields;
}

const ids = Object.keys(topics) as TopicId[];
const example = 'NGN';

const lineHelp = 'The line to watch for. What is already past it is reported only with Tell Also If Already Past It';
const marginHelp =
	'How far past the line it must come back before another crossing counts (with Both, either way), so that small movements around the line stay quiet';
const direction = {
	...namedChoice(
		{ below: { label: 'Falls Below' }, above: { label: 'Rises Above' }, both: { label: 'Both' } },
		{ label: 'Direction', help: 'Which crossing to report' },
	),
	default: 'below',
} as const;
const initial = {
	...boolean({
		label: 'Tell Also If Already Past It',
		help: 'Whether to report also what is already past the line at the first look',
	}),
	default: false,
} as const;

/**
 * Everything a trigger can wait for. The forms of all hosts are made from it, and read by it. Only what is chosen has a
 * name.
 */
export const listeners = {
	/** Messages of the stream. (Interface, part 6.) */
	stream: {
		fields: {
			topics: {
				...choices(ids, {
					label: 'Trigger On',
					help: 'What to listen to; all that listen with one account share one connection',
					named: topics,
				}),
				default: ['user.fills'],
			},
			pairs: {
				...optional(
					choices([] as readonly string[], {
						label: 'Pairs',
						help: 'Pairs whose public trades or order books to listen to. All pairs (*) are live only: what is missed while the connection is lost is not read back',
						example: 'USD/NGN',
						mayHoldOthers: true,
						pick: 'pair',
					}),
				),
				about: ids.filter((id) => topics[id].perPair),
			},
		},
		filters: {
			status: {
				...optional(
					choices(Object.keys(orderStatuses), {
						label: 'Status',
						help: 'Only order updates with one of these statuses',
						mayHoldOthers: true,
					}),
				),
				about: ['user.orders'],
			},
			side: optional(
				namedChoice(
					{ buy: { label: 'Buy' }, sell: { label: 'Sell' } },
					{ label: 'Side', help: 'Only events of this side' },
				),
			),
			pair_id: optional(
				text({
					label: 'Pair',
					help: 'Only events of this pair; several are separated by commas',
					example: 'USD/NGN',
					pick: 'pair',
					several: true,
				}),
			),
			min_quantity: optional(
				decimal({ label: 'Minimum Quantity', help: 'Only events of at least this quantity', example: '1000.00' }),
			),
		},
		options: {
			deliverMissed: {
				...boolean({
					label: 'Deliver Missed Events',
					help: 'Whether to deliver also what happened while nothing listened',
				}),
				default: true,
			},
		},
	},
	/** Movements of the wallet, found by polling. (Interface, part 4.) */
	transactions: {
		label: 'New or Changed Transaction',
		help: 'A deposit, withdrawal or other movement, and each change of its status',
		fields: {},
		filters: {
			currency: optional(
				text({ label: 'Currency', help: 'Only transactions of this wallet currency', example, pick: 'currency' }),
			),
			rail: optional(
				text({
					label: 'Rail',
					help: 'Only transactions on this rail or settled on it; several are separated by commas',
					example: 'USDT',
					several: true,
				}),
			),
			status: optional(
				choices(Object.keys(transactionStatuses), {
					label: 'Status',
					help: 'Only transactions that reach one of these statuses',
					mayHoldOthers: true,
				}),
			),
		},
		options: {},
	},
	/** A balance of the wallet, found by polling. (Interface, part 4.) */
	balances: {
		label: 'Balance Crossing a Line',
		help: 'A balance falls below or rises above an amount',
		fields: {
			currency: text({ label: 'Currency', help: 'Whose balance to watch', example, pick: 'currency' }),
			threshold: decimal({ label: 'Threshold', help: lineHelp, example: '5000000.00' }),
			direction,
		},
		filters: {},
		options: {
			field: {
				...namedChoice(
					{ available: { label: 'Available' }, locked: { label: 'Locked' }, total: { label: 'Total' } },
					{ label: 'Part of the Balance', help: 'Which figure to compare; available is what can be spent' },
				),
				default: 'available',
				begins: 'total',
			},
			hysteresis: optional(decimal({ label: 'Margin', help: marginHelp, example: '100000.00' })),
			initial,
		},
	},
	/** The rate of a pair, found by polling its ticker. (Interface, part 4.) */
	rates: {
		label: 'Rate Crossing a Line',
		help: 'The price of a pair rises above or falls below a rate',
		fields: {
			pair_id: text({ label: 'Pair', help: 'Whose rate to watch', example: 'USD/NGN', pick: 'pair' }),
			threshold: decimal({ label: 'Rate', help: lineHelp, example: '1650.00' }),
			direction,
		},
		filters: {},
		options: {
			field: {
				...namedChoice(
					{
						last_price: { label: 'Last Price' },
						best_bid: { label: 'Best Bid' },
						best_ask: { label: 'Best Ask' },
					},
					{
						label: 'Price',
						help: 'Which price to compare: of the latest trade, the highest that is bid, or the lowest that is asked',
					},
				),
				default: 'last_price',
				begins: 'best_bid',
			},
			hysteresis: optional(decimal({ label: 'Margin', help: marginHelp, example: '5.00' })),
			initial,
		},
	},
} as const satisfies Record<string, Partial<ListenerForm>>;

/** What a trigger finds by polling. */
export const watchable = {
	balance: listeners.balances,
	rate: listeners.rates,
	transaction: listeners.transactions,
} as const;
/** The name of what a form watches by polling: `rates`. */
export type WatchableId = keyof typeof watchable;
