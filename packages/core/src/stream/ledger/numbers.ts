export const latest = (one: number | undefined, other: number | undefined): number | undefined =>
	one === undefined || (other !== undefined && other > one) ? other : one;

export const numberOf = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isFinite(value) ? value : undefined;
