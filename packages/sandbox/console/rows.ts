import { setText } from './dom';

/** One shown item: its element and the way to bring it up to date. */
export interface Row<Item> {
	node: HTMLElement;
	update: (item: Item) => void;
}

export interface RowsOptions<Item> {
	key: (item: Item) => string;
	create: (item: Item) => Row<Item>;
	/** The text of an empty list. */
	empty: () => HTMLElement;
}

/**
 * Keeps a container's rows in step with a list. A row stays the same element for as long as its item is listed,
 * so that focus, selection and scrolling survive every update.
 */
export function rows<Item>(container: HTMLElement, options: RowsOptions<Item>): (items: readonly Item[]) => void {
	const rows = new Map<string, Row<Item>>();
	const nothing = options.empty();
	container.append(nothing);
	return (items) => {
		const wanted = new Set(items.map(options.key));
		for (const [key, row] of rows) {
			if (wanted.has(key)) continue;
			row.node.remove();
			rows.delete(key);
		}
		let next: Element | null = container.firstElementChild;
		for (const item of items) {
			const key = options.key(item);
			const row = rows.get(key) ?? options.create(item);
			rows.set(key, row);
			row.update(item);
			if (row.node === next) next = next.nextElementSibling;
			else container.insertBefore(row.node, next);
		}
		if (items.length === 0) container.append(nothing);
		else nothing.remove();
	};
}

/** A table row whose cells are texts; a cell is written only when it changed. */
export function textRow<Item>(cells: readonly HTMLElement[], texts: (item: Item) => readonly string[]): Row<Item> {
	const node = document.createElement('tr');
	node.append(...cells);
	return {
		node,
		update: (item) => texts(item).forEach((text, index) => cells[index] && setText(cells[index], text)),
	};
}
