/** Deep copy of a JSON value. Node-RED's `cloneMessage` handles any value and is several times slower. */
export function jsonCopy(value: unknown): unknown {
	if (value === null || typeof value !== 'object') return value;
	if (Array.isArray(value)) return value.map(jsonCopy);
	const copy: Record<string, unknown> = { ...value };
	for (const name of Object.keys(copy)) if (typeof copy[name] === 'object') copy[name] = jsonCopy(copy[name]);
	return copy;
}
