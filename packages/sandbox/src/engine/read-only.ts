/** Deeply read-only type, which request handlers receive. */
export type DeepReadonly<T> =
	T extends Map<infer Key, infer Value>
		? ReadonlyMap<Key, DeepReadonly<Value>>
		: T extends Set<infer Item>
			? ReadonlySet<DeepReadonly<Item>>
			: T extends object
				? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
				: T;
