/** Whether a value typed into a form can be right. An empty one may come with the message; the runtime has the last word. */
import type { EditorNode } from './host';

const accepts: Record<string, RegExp> = {
	decimal: /^(0|[1-9]\d*)(\.\d+)?$/,
	integer: /^\d+$/,
	id: /^[A-Za-z0-9_-]{1,128}$/,
};

/** `${NAME}` stands for an environment variable, in any property. */
const variable = /^\$\{[^}]+\}$/;

export const fits = (kind: string, value: unknown): boolean => {
	const text = String(value ?? '').trim();
	return text === '' || variable.test(text) || (accepts[kind]?.test(text) ?? true);
};

/** A validator for the `defaults` of a node: checks what was typed, not what is taken from elsewhere. */
export function valid(kind: string, property: string): (this: EditorNode, value: unknown) => boolean {
	return function (value) {
		const type = this[`${property}Type`] ?? 'str';
		return type === 'str' || type === 'num' ? fits(kind, value) : String(value ?? '') !== '';
	};
}

/** An address must be complete, and end in the version. */
export const validUrl =
	(ending: string) =>
	(value: unknown): boolean => {
		const text = String(value ?? '').trim();
		return variable.test(text) || new RegExp(`^(https?|wss?)://[^\\s?#@]+${ending}/?$`).test(text);
	};

/** A number, or the word for no limit. An account of an earlier version has no such property. */
export const validLimit = (value: unknown): boolean => {
	if (value === undefined) return true;
	const text = String(value).trim();
	return text.toLowerCase() === 'none' || (text !== '' && fits('decimal', text));
};
