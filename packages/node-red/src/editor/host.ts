/** The parts of the Node-RED editor API that the forms use. */
export interface EditorNode {
	id: string;
	type: string;
	_def: Definition;
	/** Translates a key of our locale. */
	_(key: string, facts?: Record<string, string>): string;
	[property: string]: unknown;
}

interface Definition {
	defaults: Record<
		string,
		{ value: unknown; validate?: (this: EditorNode, value: unknown, about: unknown) => unknown }
	>;
	_: EditorNode['_'];
}

export interface TypedInputType {
	value: string;
	label: string;
	icon?: string;
	hasValue?: boolean;
	multiple?: boolean;
	options?: { value: string; label: string }[];
	validate?: (value: string) => boolean;
	autoComplete?: (value: string, done: (suggestions: Suggestion[]) => void) => void;
}

export interface Suggestion {
	value: string;
	label: string | HTMLElement;
}

/** The part of jQuery, with the editor's widgets, that the forms use. */
export interface Selection {
	length: number;
	val(): string | undefined;
	val(value: string): Selection;
	text(): string;
	text(value: string): Selection;
	prop(name: string): unknown;
	prop(name: string, value: unknown): Selection;
	attr(name: string): string | undefined;
	attr(name: string, value: string): Selection;
	data(name: string): unknown;
	find(selector: string): Selection;
	next(): Selection;
	trigger(event: string): Selection;
	toggle(visible: boolean): Selection;
	toggleClass(name: string, on: boolean): Selection;
	on(event: string, handler: (event: { target: HTMLElement }) => void): Selection;
	each(handler: (index: number, element: HTMLElement) => void): Selection;
	typedInput(options: { types: (string | TypedInputType)[]; default?: string; typeField?: Selection }): Selection;
	typedInput(method: 'value' | 'type'): string;
	typedInput(method: 'width' | 'value', text: string): Selection;
	typedInput(method: 'types', types: (string | TypedInputType)[]): Selection;
	autoComplete(options: {
		search: (value: string, done: (suggestions: Suggestion[]) => void) => void;
		minLength: number;
	}): Selection;
}

interface Answer {
	done(handler: (answer: unknown) => void): Answer;
	fail(handler: (problem: { status: number; responseJSON?: { message?: string } }) => void): Answer;
}

interface Query {
	(target: string | HTMLElement): Selection;
	ajax(request: { url: string; method: string; contentType?: string; data?: string; dataType: 'json' }): Answer;
}

interface Editor {
	nodes: {
		node(id: string): EditorNode | null;
		eachNode(act: (node: EditorNode) => void): void;
		eachConfig(act: (node: EditorNode) => void): void;
		getType(type: string): Definition;
		updateConfigNodeUsers?(node: EditorNode, change: { action: 'add' }): void;
		dirty(is: boolean): void;
	};
	editor: { validateNode(node: EditorNode): void };
	view: { redraw(): void };
	/** The language of the editor, whatever that of the browser is. */
	i18n: { lang(): string };
	events: { on(event: string, handler: (node: EditorNode) => void): void };
	settings: { context?: { default?: string; stores?: string[] } };
}

const page = globalThis as unknown as { jQuery: Query; RED: Editor };
export const $ = page.jQuery;
export const RED = page.RED;
