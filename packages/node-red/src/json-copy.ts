/** A copy of what was read from JSON. Node-RED's own copies anything, and takes several times as long. */
export function jsonCopy(value: unknown): unknown {
	if (value === null || typeof value !== 'object') return value;
	if (Array.isArray(value)) return value.map(jsonCopy);
	const copy: Record<string, unknown> = { ...value };
	for (const name in copy) if (typeof copy[name] === 'object') copy[name] = jsonCopy(copy[name]);
	return copy;
}
