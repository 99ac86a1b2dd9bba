import { printable } from '../../core/src/printable';

/**
 * Builds and updates elements. Text goes in as text only, so nothing the exchange stores can become markup, and without
 * the characters that make it read as another one.
 */
export type Child = Node | string;

export interface Look {
	class?: string;
	title?: string;
	/** Attributes the page itself chooses; never names or addresses that come from the exchange. */
	attributes?: Readonly<Record<string, string>>;
	click?: () => void;
}

export function element<Tag extends keyof HTMLElementTagNameMap>(
	tag: Tag,
	look: Look = {},
	...children: Child[]
): HTMLElementTagNameMap[Tag] {
	const made = document.createElement(tag);
	if (look.class) made.className = look.class;
	if (look.title) made.title = printable(look.title);
	for (const [name, value] of Object.entries(look.attributes ?? {})) made.setAttribute(name, value);
	if (look.click) made.addEventListener('click', look.click);
	made.append(...children.map((child) => (typeof child === 'string' ? printable(child) : child)));
	return made;
}

export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
	const element = document.getElementById(id);
	if (!element) throw new Error(`The page has no element "${id}".`);
	return element as Kind;
}

/** Writes only what changed: a selection or a screen reader's place in unchanged text survives. */
export function setText(node: Node, text: string): void {
	const shown = printable(text);
	if (node.textContent !== shown) node.textContent = shown;
}

export function button(label: string, click: () => void, look: Look = {}): HTMLButtonElement {
	return element('button', { ...look, attributes: { type: 'button', ...look.attributes }, click }, label);
}

/** Keeps the options of a choice current without touching what is chosen. */
export function setOptions(select: HTMLSelectElement, options: readonly { value: string; label: string }[]): void {
	const current = Array.from(select.options, (option) => `${option.value}\n${option.text}`).join('\n');
	if (current === options.map((option) => `${option.value}\n${option.label}`).join('\n')) return;
	const chosen = select.options.length > 0 ? select.value : undefined;
	select.replaceChildren(
		...options.map(({ value, label }) => {
			const option = element('option', {}, label);
			option.value = value;
			return option;
		}),
	);
	if (chosen !== undefined && options.some((option) => option.value === chosen)) select.value = chosen;
}
