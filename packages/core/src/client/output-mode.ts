import type { Operation } from '../catalogue';
import type { CallContext } from '../context';
import { isItem, itemsIn, type Item } from '../wire/payload';
import { replaceItems } from './post-filter';

/** Gives the records of an answer the fields that were asked for. */
export interface OutputMode {
	/** One record. */
	record(item: Item): Item;
	/** A whole answer, wherever its records stand. */
	answer(data: unknown): unknown;
	/** Says which of the chosen fields no record had. */
	end(): void;
}

/** What the options ask of the answer. A dry run answers with a request, which is shown whole. */
export function outputModeOf(operation: Operation, { options = {}, warn }: CallContext): OutputMode {
	const { output_mode: mode = 'raw', output_fields: chosen = [], dry_run: isDry } = options;
	const [id, ...others] = operation.essentials ?? [];
	if (mode === 'raw' || id === undefined || isDry === true) return asSent;
	const identity = [id, ...(operation.list?.identity ?? [])];
	const wanted = mode === 'simplified' ? [id, ...others] : [...identity, ...chosen];
	const unseen = new Set<string>(chosen);
	let isAnyShown = false;

	function picked(item: Item): Item {
		const kept = wanted.filter((name) => Object.hasOwn(item, name));
		for (const name of kept) unseen.delete(name);
		return Object.fromEntries(kept.map((name) => [name, item[name]]));
	}

	function record(item: Item): Item {
		isAnyShown = true;
		const kept = picked(item);
		// Where the service names everything otherwise than we know, a simplified record would be an empty one.
		return mode === 'simplified' && Object.keys(kept).length === 0 ? item : kept;
	}

	function answer(data: unknown): unknown {
		if (operation.list) {
			const items = itemsIn(data, operation.list.at);
			return replaceItems(data, items, items.map(record));
		}
		if (!isItem(data)) return data;
		const { parts: at } = operation;
		if (at === undefined || !Array.isArray(data[at])) return record(data);
		const { [at]: parts, ...around } = data;
		return { [at]: (parts as unknown[]).map((part) => (isItem(part) ? record(part) : part)), ...picked(around) };
	}

	return {
		record,
		answer,
		end: () => {
			if (!isAnyShown || unseen.size === 0) return;
			warn?.({ kind: 'drift', text: `The answer of ${operation.label} has no field ${[...unseen].join(', ')}` });
		},
	};
}

const asSent: OutputMode = { record: (item) => item, answer: (data) => data, end: () => undefined };
