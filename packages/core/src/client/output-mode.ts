import type { Operation } from '../catalogue';
import type { CallContext } from '../context';
import { isItem, itemsIn, type Item } from '../wire/payload';
import { replaceItems } from './narrowing';

/** Reduces the records of an answer to the requested fields. */
export interface OutputMode {
	/** One record. */
	record(item: Item): Item;
	/** A whole answer, with its records reduced. */
	answer(data: unknown): unknown;
	/** Warns about chosen fields that no record had. */
	end(): void;
}

/** That nothing new was done is said whatever fields are chosen: people act on it, and hosts. */
const REPEATED = ['repeated', 'original_created_at'];

/** The output mode from the options of a call. A dry run returns a request, which is shown whole. */
export function outputModeOf(operation: Operation, { options = {}, warn }: CallContext): OutputMode {
	const { output_mode: mode = 'raw', output_fields: chosen = [], dry_run: isDry } = options;
	if (mode === 'raw' || isDry === true) return asSent;
	const [id, ...others] = operation.essentials ?? [];
	if (id === undefined) return asSent;
	const identity = [id, ...(operation.list?.identifiedByFirstOf ?? [])];
	const wanted = [...(mode === 'simplified' ? [id, ...others] : [...identity, ...chosen]), ...REPEATED];
	const unseen = new Set<string>(chosen);
	let isAnyShown = false;

	function picked(item: Item): Item {
		const chosen = wanted.filter((name) => Object.hasOwn(item, name));
		for (const name of chosen) unseen.delete(name);
		return Object.fromEntries(chosen.map((name) => [name, item[name]]));
	}

	function record(item: Item): Item {
		isAnyShown = true;
		const output = picked(item);
		// If the service uses other field names, a simplified record would be empty, so the whole record is returned.
		return mode === 'simplified' && Object.keys(output).length === 0 ? item : output;
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
