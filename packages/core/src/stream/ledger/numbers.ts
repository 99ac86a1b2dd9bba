import type { Whole } from '../../whole';

export const latest = <W extends Whole>(first: W | undefined, other: W | undefined): W | undefined =>
	first === undefined || (other !== undefined && other > first) ? other : first;

export const numberOf = (value: unknown): number | undefined =>
	typeof value === 'number' && Number.isFinite(value) ? value : undefined;
