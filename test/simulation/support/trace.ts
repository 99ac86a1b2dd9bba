import { hashOf } from './random';

/** The log of a run: a hash to compare runs by, and on request the lines. */
export interface Trace {
	add(now: number, ...parts: readonly (string | number)[]): void;
	hash(): number;
	lines(): readonly string[];
}

export function trace(begins: number, keepLines: boolean): Trace {
	let hash = 0x811c9dc5;
	const lines: string[] = [];
	return {
		add: (now, ...parts) => {
			const line = `${((now - begins) / 1000).toFixed(3).padStart(9)} s  ${parts.join('  ')}`;
			hash = hashOf(line, hash);
			if (keepLines) lines.push(line);
		},
		hash: () => hash,
		lines: () => lines,
	};
}
