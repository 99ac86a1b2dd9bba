/** Scheduled tasks, earliest first; tasks of the same time in the order they were added. */
export interface Queue {
	add(at: number, action: () => void): Entry;
	/** Removes and returns the next task that was not cancelled. */
	take(): Entry | undefined;
	/** The time of the next task that was not cancelled. */
	next(): number | undefined;
	size(): number;
}

interface Entry {
	at: number;
	order: number;
	action: () => void;
	off: boolean;
}

/** A binary heap by time and order of insertion. Cancelled tasks stay until their turn and are then skipped. */
export function queue(): Queue {
	const heap: Entry[] = [];
	let added = 0;
	const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

	function rise(from: number): void {
		const entry = heap[from]!;
		let at = from;
		while (at > 0) {
			const parent = (at - 1) >> 1;
			if (!before(entry, heap[parent]!)) break;
			heap[at] = heap[parent]!;
			at = parent;
		}
		heap[at] = entry;
	}

	function sink(entry: Entry): void {
		let at = 0;
		for (;;) {
			let child = at * 2 + 1;
			if (child >= heap.length) break;
			if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
			if (!before(heap[child]!, entry)) break;
			heap[at] = heap[child]!;
			at = child;
		}
		heap[at] = entry;
	}

	function pop(): Entry | undefined {
		const first = heap[0];
		const last = heap.pop();
		if (first && last && first !== last) sink(last);
		return first;
	}

	return {
		add: (at, action) => {
			const entry = { at, order: added++, action, off: false };
			heap.push(entry);
			rise(heap.length - 1);
			return entry;
		},
		take: () => {
			for (let entry = pop(); entry; entry = pop()) if (!entry.off) return entry;
			return undefined;
		},
		next: () => {
			while (heap[0]?.off) pop();
			return heap[0]?.at;
		},
		size: () => heap.length,
	};
}
