/**
 * The shape of an answer: a word for a scalar ('decimal', 'text?' when null is allowed), an object for a record, a
 * one-element array for a list. Used for types, schema previews and documentation; answers are passed on unchanged.
 */
export type Shape = Scalar | readonly [Shape] | { readonly [name: string]: Shape };
type Kind = 'text' | 'decimal' | 'integer' | 'number' | 'boolean' | 'timestamp' | 'unspecified';
type Scalar = Kind | `${Kind}?`;

/** The type of an answer of a {@link Shape}. Decimals and timestamps are strings. */
export type Output<S> = S extends readonly [infer Item]
	? Output<Item>[]
	: S extends 'unspecified' | 'unspecified?'
		? unknown
		: S extends `${infer K}?`
			? Output<K> | null
			: S extends 'integer' | 'number'
				? number
				: S extends 'boolean'
					? boolean
					: S extends string
						? string
						: { [K in keyof S]: Output<S[K]> };
