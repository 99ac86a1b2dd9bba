/** Lets callers pass while a condition holds, and makes them wait otherwise. */
export interface Gate {
	/** Resolves when the gate is open; rejects after `end`. */
	enter: () => Promise<void>;
	/** Makes waiting callers check the condition again. */
	open: () => void;
	end: () => void;
}

export function createGate(isOpen: () => boolean): Gate {
	const waiting = new Set<() => void>();
	let ended = false;
	const open = (): void => {
		for (const resolve of waiting) resolve();
		waiting.clear();
	};
	return {
		enter: async () => {
			while (!isOpen() && !ended) await new Promise<void>((resolve) => waiting.add(resolve));
			if (ended) throw new Error('The gate was taken away');
		},
		open,
		end: () => {
			ended = true;
			open();
		},
	};
}
