const NODES_MAX = 1_000;

/** Estimates how many characters a payload takes; of a large one only the first values are counted. */
export function lengthOf(payload: unknown): number {
	const left: unknown[] = [payload];
	let length = 0;
	for (let nodes = 0; left.length > 0 && nodes < NODES_MAX; nodes += 1) {
		const value = left.pop();
		if (typeof value === 'string') length += value.length;
		else if (typeof value === 'object' && value !== null) {
			for (const [name, inner] of Object.entries(value).slice(0, NODES_MAX)) {
				length += name.length + 4;
				left.push(inner);
			}
		} else length += 8;
	}
	return length;
}
