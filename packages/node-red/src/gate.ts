/** Lets work pass while it is open, and makes it wait while it is not. */
export interface Gate {
	/** Resolves when the gate is open; rejects once the gate was ended. */
	pass: () => Promise<void>;
	/** Releases those who wait, if the gate is open by now. */
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
		pass: async () => {
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
