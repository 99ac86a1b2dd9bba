import { forgetOldest } from './bounded';

/** Accounts a process remembers at once; the least recently used one is forgotten first. */
export const ACCOUNTS_MAX = 1_000;

/** One value for each account, made on its first use. */
export function perAccount<V>(create: () => V): (name: string) => V {
	const values = new Map<string, V>();
	return (name) => {
		const value = values.get(name) ?? create();
		values.delete(name);
		values.set(name, value);
		forgetOldest(values, ACCOUNTS_MAX);
		return value;
	};
}
