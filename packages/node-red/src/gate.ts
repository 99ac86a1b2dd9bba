/** Lets work through while it is open and keeps it waiting while it is not. */
export interface Gate {
	/** Resolves when the gate is open; rejects when it was taken away. */
	pass: () => Promise<void>;
	/** Lets those through who wait, as far as it really is open. */
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
