/** What a node does and did, in the few words of its status. Pure. */
import type { Progress } from '@partner-exchange/core';
import { inWords, isShort, type StatusText } from '../host/status-words';
import type { Status } from '../host/types';

/** The step of a write that takes long: what is tried, how often, until when, and why again. */
export function stepText(
	{ doing, attempts, attemptsMax, lookups, limitMs, reason }: Progress,
	now: number,
): StatusText {
	const count = doing === 'looking' ? `lookup ${lookups}` : doing === 'sending' && `attempt ${attempts}/${attemptsMax}`;
	if (doing === 'sending' && attempts === 1) return doing;
	return [doing, count, `until ${timeOfDay(now + limitMs)}`, reason && inWords(reason)]
		.filter(Boolean)
		.join(' · ') as StatusText;
}

const timeOfDay = (at: number): string => new Date(at).toTimeString().slice(0, 'hh:mm:ss'.length);

/**
 * What a call did, in yellow where nothing came of it, or less than was asked for: `accepted · time limit`. What may
 * still be rejected, and was not waited for, is grey. What was done before under the same name was not done again.
 */
export function doneStatus(answer: unknown): Status {
	const text = doneText(answer);
	const { transaction, wait = recordIn(transaction).wait } = recordIn(answer);
	const { reached, ended } = recordIn(wait);
	const { repeated, problem, problems = [], advice, name_match: match } = recordIn(answer);
	const status = statusOf(recordIn(answer));
	const isWell = reached !== false && !problem && !hasAny(problems) && !advice && !inVain.has(status ?? match);
	return {
		fill: !isWell ? 'yellow' : status === 'pending' ? 'grey' : 'green',
		shape: 'dot',
		text: ended === 'time_limit' ? `${text} · ${inWords(ended)}` : repeated === true ? `${text} · done before` : text,
	};
}

const hasAny = (rows: unknown): boolean => Array.isArray(rows) && rows.length > 0;

const inVain = new Set<unknown>(['rejected', 'expired', 'failed', 'different']);

/** A transaction that was waited for says more than the answer that began it. */
const statusOf = ({ transaction, status }: Fields): unknown => recordIn(transaction).status ?? status;

type Fields = Readonly<Record<string, unknown>>;
const recordIn = (value: unknown): Fields => (typeof value === 'object' && value !== null ? value : {}) as Fields;

/**
 * `bought 10 USD` of an order that was filled, the status of another record, the length of a list, what is still open
 * or was cancelled.
 */
function doneText(answer: unknown): StatusText {
	if (Array.isArray(answer)) return answer.length === 1 ? '1 result' : `${answer.length} results`;
	const record = recordIn(answer);
	if (record.dry_run === true) return 'dry run';
	if (typeof record.still_open === 'number') {
		if (record.still_open > 0) return `${record.still_open} still open`;
		if (record.problem) return 'unknown';
		const cancelled = (record.orders as Fields[]).filter(({ outcome }) => outcome === 'cancelled').length;
		return cancelled > 0 ? `${cancelled} cancelled` : 'nothing to cancel';
	}
	const word = statusOf(record) ?? record.acknowledgement ?? record.name_match;
	return tradedText(record) ?? (typeof word === 'string' && isShort(word) ? inWords(word) : 'done');
}

function tradedText(order: Fields): StatusText | undefined {
	const verb = { buy: 'bought', sell: 'sold' }[String(order.side)] as 'bought' | 'sold' | undefined;
	const [filled, quantity] = [order.filled_quantity, order.quantity].map((amount) => String(amount ?? ''));
	if (!verb || !/[1-9]/.test(filled!) || !isShort(filled!) || !isShort(quantity!)) return undefined;
	const amount = order.status === 'filled' ? filled : `${filled}/${quantity}`;
	const [base = ''] = String(order.pair_id ?? '').split(/[/_-]/);
	const traded = `${verb} ${[amount, isShort(base) && base].filter(Boolean).join(' ')}` as const;
	return order.status === 'cancelled' ? `${traded} · cancelled` : traded;
}
