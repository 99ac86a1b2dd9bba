import { exactTopics, listeners, topics, type ListenerField, type ListenerFields, type TopicId } from './catalogue';
import { commaList } from './comma-list';
import { ExchangeError } from './errors';
import { readSwitch } from './input/switch';
import { acceptValue, isEmpty } from './input/value';
import type { Consumer, EventFilters } from './stream/contract';
import type { Threshold } from './wallet/balances';
import type { TransactionFilters } from './wallet/transactions';

/** What a form stored, by the names of the catalogue. What is undefined was not set. */
export type StoredFields = Readonly<Record<string, unknown>>;

/** What a trigger of the stream listens to. */
export type StreamSettings = Required<Pick<Consumer, 'topics' | 'filters' | 'deliverMissed'>>;

const { stream, transactions, balances } = listeners;

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

/** Reads the form of a trigger on transactions. */
export function readTransactions(stored: StoredFields): TransactionFilters {
	const { status, currency, rail } = readFields(transactions.filters, stored);
	return {
		statuses: status as string[] | undefined,
		currencies: currency === undefined ? undefined : [currency as string],
		rails: rail as string[] | undefined,
	};
}

/** Reads the form of a trigger on a balance. {@link pollBalances} checks currency and amounts. */
export function readThreshold(stored: StoredFields): Threshold {
	const { currency, threshold, direction } = readFields(balances.fields, stored);
	const { field, hysteresis, initial } = readFields(balances.options, stored);
	return {
		currency: String(currency ?? ''),
		amount: String(threshold ?? ''),
		direction: direction as Threshold['direction'],
		field: field as Threshold['field'],
		hysteresis: hysteresis as string | undefined,
		initial: initial as boolean,
	};
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
