/**
 * Decodes n8n's stored execution data, which is "flatted": an array of values in which a string of digits refers to
 * another entry.
 */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export function unflatten(text: string): unknown {
	const entries = JSON.parse(text) as Json[];
	const built = new Map<number, unknown>();
	const entry = (index: number): unknown => {
		if (built.has(index)) return built.get(index);
		const value = entries[index]!;
		if (value === null || typeof value !== 'object') return value;
		const target: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {};
		built.set(index, target);
		// Inside an object or array every string is a reference; actual strings are entries themselves.
		for (const [key, each] of Object.entries(value)) {
			Object.assign(target, { [key]: typeof each === 'string' ? entry(Number(each)) : each });
		}
		return target;
	};
	return entry(0);
}
