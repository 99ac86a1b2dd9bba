/** A deterministic random generator: the same seed gives the same sequence on every machine. */
export interface Random {
	/** From 0 up to, but not including, 1. */
	next(): number;
	/** An integer from 0 up to, but not including, `end`. */
	below(end: number): number;
	/** From `least` up to `most`. */
	between(least: number, most: number): number;
	/** True with this probability. */
	happens(probability: number): boolean;
	pick<T>(choices: readonly T[]): T;
	/** Mostly short, sometimes long, never longer than `most`. */
	exponential(mean: number, most: number): number;
	/** A UUID. */
	uuid(): string;
	/** A separate sequence, so that an additional draw in one place does not change the draws of another. */
	fork(name: string): Random;
}

/** sfc32, seeded with one 32-bit number. */
export function random(seed: number): Random {
	let [a, b, c, count] = [0x9e3779b9, 0x243f6a88, seed | 0, 1];
	const word = (): number => {
		const sum = (((a + b) | 0) + count) | 0;
		count = (count + 1) | 0;
		a = b ^ (b >>> 9);
		b = (c + (c << 3)) | 0;
		c = ((c << 21) | (c >>> 11)) + sum;
		return sum >>> 0;
	};
	for (let warmUp = 0; warmUp < 12; warmUp += 1) word();
	const next = (): number => word() / 0x1_0000_0000;
	const hex = (): string => word().toString(16).padStart(8, '0');
	const self: Random = {
		next,
		below: (end) => Math.floor(next() * end),
		between: (least, most) => least + next() * (most - least),
		happens: (probability) => next() < probability,
		pick: (choices) => choices[Math.floor(next() * choices.length)]!,
		exponential: (mean, most) => Math.min(most, -mean * Math.log(1 - next())),
		uuid: () => {
			const [name, two, three, four] = [hex(), hex(), hex(), hex()];
			return `${name}-${two.slice(0, 4)}-4${two.slice(5)}-8${three.slice(1, 4)}-${three.slice(4)}${four}`;
		},
		fork: (name) => random(seed ^ hashOf(name)),
	};
	return self;
}

/** FNV-1a over UTF-16 units. */
export function hashOf(text: string, start = 0x811c9dc5): number {
	let hash = start;
	for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
	return hash >>> 0;
}
