import fc from 'fast-check';

/** A parser with its guarantee for any input: it throws if the guarantee is broken. */
export interface Target {
	name: string;
	property: fc.IRawProperty<unknown>;
	/** The cost of one run, relative to the cheapest. */
	cost: number;
}

export const target = <T extends [unknown, ...unknown[]]>(
	name: string,
	arbitraries: { [Index in keyof T]: fc.Arbitrary<T[Index]> },
	promise: (...values: T) => void | Promise<void>,
	cost = 1,
): Target => ({
	name,
	cost,
	property: fc.asyncProperty<T>(...arbitraries, async (...values: T) => await promise(...values)),
});
