/** One input of an operation: the facts to draw a form, check a value, send and document it. */
export interface Field {
	/** Which values the field takes, and how they are checked. */
	kind: FieldKind;
	/** The name in a form, in title case. */
	label: string;
	/** One sentence for a person at a form, without a final period. */
	help: string;
	/** A value that would be accepted. */
	example?: string;
	/** The fields of a JSON object that are checked, beside those of the operation. */
	holds?: Readonly<Record<string, Field>>;
	/** The values of a choice, as the service writes them. */
	values?: readonly string[];
	/** Values that stand for several others. The service knows none of these, so they are never sent. */
	groups?: Readonly<Record<string, readonly string[]>>;
	/** Other values are accepted besides the known ones. */
	mayHoldOthers?: true;
	/** The field may be left out. */
	optional?: true;
	/** The field applies only when other choices have these values: shown and required then, dropped otherwise. */
	onlyWhen?: Readonly<Record<string, string>>;
	/** The only value there is beside such a choice, which a form fills in with it. */
	onlyValue?: { value: string; when: Readonly<Record<string, string>> };
	/** Few people need it, so a form shows it among the options. */
	aside?: true;
	/** The list from which a person picks the value. */
	pick?: PickerId;
	/** Why the wire name is assumed: the interface shows the meaning of the field and not its name. */
	assumed?: string;
	/** The unit of the number: the base currency of the pair, or units of the quote currency per unit of the base. */
	unit?: Unit;
	/** Smallest accepted integer. */
	min?: number;
	/** Largest accepted integer. */
	max?: number;
	/** One text may hold several values, separated by commas. */
	several?: true;
	/** What a form calls the values, where their own names are not enough. */
	named?: Readonly<Record<string, { label: string; help?: string }>>;
	/**
	 * A permanent identifier, so nothing that nobody sees makes two of it. A name that is also sent in a header is
	 * printable ASCII, and an address holds no space.
	 */
	names?: 'body' | 'header' | 'address';
	/**
	 * A name that may consist of digits. As a number it has lost its leading zeros, so it is refused as one; an `account`
	 * number may be written in groups.
	 */
	digits?: 'account' | 'name';
	/** Longest accepted text, in characters. */
	maxLength?: number;
}

/** What a field takes. A `decimal` is decimal text, a `timestamp` ISO 8601 in UTC, `choices` several of `values`. */
export type FieldKind = 'text' | 'id' | 'decimal' | 'integer' | 'boolean' | 'choice' | 'choices' | 'timestamp' | 'json';
/** What a decimal counts: the base currency, the quote currency for each unit of the base, or the quote currency. */
export type Unit = 'base' | 'quotePerBase' | 'quote';
/** A list to pick a value from; {@link pickers} describes each. */
export type PickerId = 'pair' | 'bank' | 'chain' | 'currency' | 'recipient' | 'order' | 'openOrder' | 'transaction';
/** The inputs of an operation, by the service's field name. */
export type Fields = Readonly<Record<string, Field>>;

type Words = Omit<Field, 'kind' | 'values' | 'optional' | 'onlyWhen'>;

export const text = <const W extends Words>(words: W) => ({ kind: 'text', ...words }) as const;
export const id = <const W extends Words>(words: W) => ({ kind: 'id', ...words }) as const;
export const decimal = <const W extends Words>(words: W) => ({ kind: 'decimal', ...words }) as const;
export const integer = <const W extends Words>(words: W) => ({ kind: 'integer', ...words }) as const;
export const boolean = <const W extends Words>(words: W) => ({ kind: 'boolean', ...words }) as const;
export const timestamp = <const W extends Words>(words: W) => ({ kind: 'timestamp', ...words }) as const;
export const choice = <const V extends readonly string[], const W extends Words>(values: V, words: W) =>
	({ kind: 'choice', values, ...words }) as const;

/** A choice whose values have words of their own. */
export const namedChoice = <
	const N extends Readonly<Record<string, { label: string; help?: string }>>,
	const W extends Words,
>(
	named: N,
	words: W,
) => ({ kind: 'choice', values: Object.keys(named) as (keyof N & string)[], named, ...words }) as const;

/** A field that takes several of the values. */
export const choices = <const V extends readonly string[], const W extends Words>(values: V, words: W) =>
	({ kind: 'choices', values, ...words }) as const;

/** The values that a filter asks for, those written out that one value stands for. */
export const wantedOf = ({ groups }: Field, value: unknown): readonly unknown[] => [
	...new Set([value].flat().flatMap((each): readonly unknown[] => groups?.[String(each)] ?? [each])),
];

export const optional = <const F extends Field>(field: F) => ({ ...field, optional: true }) as const;
/** An optional field that few people need. */
export const aside = <const F extends Field>(field: F) => ({ ...field, optional: true, aside: true }) as const;
export const onlyWhen = <const C extends Readonly<Record<string, string>>, const F extends Field>(
	condition: C,
	field: F,
) => ({ ...field, onlyWhen: condition }) as const;

/** The type of one field's value. Decimals are strings everywhere; a JSON field takes any object. */
export type Value<F> = F extends { values: readonly (infer V)[] }
	? F extends { kind: 'choices' }
		? readonly V[]
		: V
	: F extends { kind: 'integer' }
		? number
		: F extends { kind: 'boolean' }
			? boolean
			: F extends { kind: 'json' }
				? Record<string, unknown>
				: string;
type MayOmit<F> = F extends { optional: true } | { onlyWhen: object } ? true : false;

/** What a caller may give: several of the values of a choice, or one of them. */
type Given<F> = F extends { kind: 'choices'; values: readonly (infer V)[] } ? V | Value<F> : Value<F>;

/** The input type of a client method, derived from its fields. */
export type Input<F> = { [K in keyof F as MayOmit<F[K]> extends true ? never : K]: Given<F[K]> } & {
	[K in keyof F as MayOmit<F[K]> extends true ? K : never]?: Given<F[K]> | null;
};
