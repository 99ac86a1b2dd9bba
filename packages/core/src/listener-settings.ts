import {
	exactTopics,
	listeners,
	topics,
	watchable,
	type ListenerField,
	type ListenerFields,
	type TopicId,
} from './catalogue';
import { commaList } from './comma-list';
import { ExchangeError } from './errors';
import { readSwitch } from './input/switch';
import { acceptValue, isEmpty, unsetVariable } from './input/value';
import type { Consumer, EventFilters } from './stream/contract';
import type { Threshold } from './watch/balances';
import type { RateThreshold } from './watch/rates';
import type { TransactionFilters } from './watch/transactions';
import type { Watch } from './watch/watch';

/** What a form stored, by the names of the catalogue. What is undefined was not set. */
export type StoredFields = Readonly<Record<string, unknown>>;

/** What a trigger of the stream listens to. */
export type StreamSettings = Required<Pick<Consumer, 'topics' | 'filters' | 'deliverMissed'>>;

const { stream } = listeners;

/**
 * Reads the form of a trigger of the stream.
 * @throws ExchangeError `invalid_input` for a value that does not say what is wanted, or a choice that is missing.
 */
export function readStream(stored: StoredFields): StreamSettings {
	const chosen = readField('topics', stream.fields.topics, stored.topics) as TopicId[] | undefined;
	const pairs = (readField('pairs', stream.fields.pairs, stored.pairs) as string[] | undefined) ?? [];
	if (!chosen) throw refusal('topics', 'No events are chosen', 'Choose at least one kind of event');
	if (pairs.length === 0 && chosen.some((topic) => topics[topic].perPair))
		throw refusal('pairs', 'No pair is chosen for public trades or order books', 'Choose a pair such as USD/NGN');
	return {
		topics: exactTopics(chosen, pairs),
		filters: readFilters(stored),
		deliverMissed: readField('deliverMissed', stream.options.deliverMissed, stored.deliverMissed) as boolean,
	};
}

function readFilters(stored: StoredFields): EventFilters {
	const { status, side, pair_id: pair, min_quantity: minimum } = readFields(stream.filters, stored);
	return {
		...(status ? { statuses: status as string[] } : {}),
		...(side ? { sides: [side as string] } : {}),
		...(pair ? { pairs: pair as string[] } : {}),
		...(minimum === undefined ? {} : { minQuantity: minimum as string }),
	};
}

/**
 * Reads the form of a trigger that polls.
 * @throws ExchangeError `invalid_input` for a choice or a switch that cannot be read. Names and amounts are checked by the poll.
 */
export function readWatch(event: unknown, stored: StoredFields): Watch {
	switch (event) {
		case 'transaction':
			return { event, filters: readTransactionFilters(stored) };
		case 'balance':
			return { event, threshold: readThreshold(event, stored) as unknown as Threshold };
		case 'rate':
			return { event, threshold: readThreshold(event, stored) as unknown as RateThreshold };
		default:
			throw refusal(
				'event',
				`${String(event)} is nothing to watch`,
				`Choose one of ${Object.keys(watchable).join(', ')}`,
			);
	}
}

function readTransactionFilters(stored: StoredFields): TransactionFilters {
	const { status, currency, rail } = readFields(watchable.transaction.filters, stored);
	return {
		statuses: status as string[] | undefined,
		currencies: currency === undefined ? undefined : [currency as string],
		rails: rail as string[] | undefined,
	};
}

/** What is missing stays so, because the poll says what has to be entered. */
function readThreshold(event: 'balance' | 'rate', stored: StoredFields): Record<string, unknown> {
	const { fields, options } = watchable[event];
	const { threshold, ...chosen } = readFields({ ...fields, ...options }, stored);
	return { ...chosen, amount: String(threshold ?? '') };
}

const readFields = (fields: ListenerFields, stored: StoredFields): Record<string, unknown> =>
	Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, readField(name, field, stored[name])]));

/**
 * One value of a form: what it says, the default where nothing is set, or undefined.
 * @throws ExchangeError `invalid_input` for a switch, a count or a choice that cannot be read. Amounts and other texts
 *   are checked where they are used, with the lists of the service at hand.
 */
export function readField(name: string, field: ListenerField, stored: unknown): unknown {
	if (stored === undefined) return field.default;
	const [unset] = [stored].flat().flatMap((each) => unsetVariable(each, field.label) ?? []);
	if (unset !== undefined) throw refusal(name, unset);
	switch (field.kind) {
		case 'boolean':
			return readSwitch(stored, { field: name, label: field.label });
		case 'integer':
			return readCount(name, field, stored);
		case 'choice':
			return isEmpty(stored) && field.optional ? undefined : readChoice(name, field, stored);
		case 'choices': {
			const values = commaList(stored);
			return values.length === 0 ? undefined : field.pick ? values : readChoice(name, field, values);
		}
		default: {
			if (field.several) return commaList(stored).length === 0 ? undefined : commaList(stored);
			return isEmpty(stored) ? field.default : typeof stored === 'string' ? stored.trim() : stored;
		}
	}
}

function readChoice(name: string, field: ListenerField, stored: unknown): unknown {
	const verdict = acceptValue(field, stored);
	if ('value' in verdict) return verdict.value;
	throw refusal(name, `${field.label} ${verdict.reason}`);
}

/** Digits or a whole number within the bounds, without JavaScript's coercions. */
export function readCount(
	name: string,
	{ label, min = 1, max }: Pick<ListenerField, 'label' | 'min' | 'max'>,
	stored: unknown,
): number {
	const text = typeof stored === 'number' || typeof stored === 'string' ? String(stored).trim() : '';
	const count = /^\d{1,15}$/.test(text) ? Number(text) : -1;
	if (count >= min && count <= (max ?? count)) return count;
	throw refusal(
		name,
		`${label} must be a whole number ${max === undefined ? `of at least ${min}` : `from ${min} to ${max}`}`,
	);
}

const refusal = (field: string, what: string, advice?: string): ExchangeError =>
	new ExchangeError('invalid_input', { field, what, ...(advice ? { advice } : {}) });
