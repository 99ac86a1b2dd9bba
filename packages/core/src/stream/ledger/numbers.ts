export const latest = (first: number | undefined, other: number | undefined): number | undefined =>
	first === undefined || (other !== undefined && other > first) ? other : first;

export const numberOf = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isFinite(value) ? value : undefined;
