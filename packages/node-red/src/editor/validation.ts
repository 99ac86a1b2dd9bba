/** Whether a value typed into a form can be right. An empty one may come with the message; the runtime has the last word. */
import { $, type EditorNode } from './host';
import { say } from './words';

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

/** The editor shows a text as the reason; only a validator of two parameters may give one. */
type Validator = (this: EditorNode, value: unknown, about: unknown) => boolean | string;

const verdict = (isFine: boolean, reason: string, label: string): boolean | string =>
	isFine || say(`common.invalid.${reason}`, { field: say(label) });

/** A validator for the `defaults` of a node: checks what was typed, not what is taken from elsewhere. */
export function valid(kind: string, property: string, label: string): Validator {
	return function (value, _) {
		const type = typeOf(this, property);
		const isTyped = type === 'str' || type === 'num';
		return isTyped ? verdict(fits(kind, value), kind, label) : verdict(String(value ?? '') !== '', 'empty', label);
	};
}

let open: EditorNode | undefined;

/** The node whose form is open: its types are those of the form, which the node itself learns when the form is done. */
export const opened = (node: EditorNode): void => void (open = node);

const typeOf = (node: EditorNode, property: string): unknown =>
	(node === open ? $(`#node-input-${property}Type`).val() : undefined) ?? node[`${property}Type`] ?? 'str';

/** What the validator of a property says of a value: nothing where it is right, or a reason. */
export const verdictOf = (node: EditorNode, property: string, value: unknown): unknown =>
	node._def.defaults[property]?.validate?.call(node, value, {});

/** An address must be complete, and end in the version. */
export const validUrl = (ending: string, label: string): Validator =>
	function (value, _) {
		const text = String(value ?? '').trim();
		const isUrl = new RegExp(`^(https?|wss?)://[^\\s?#@]+${ending}/?$`).test(text);
		return verdict(variable.test(text) || isUrl, 'url', label);
	};

/** A number, or the word for no limit. An account of an earlier version has no such property. */
export const validLimit = (label: string): Validator =>
	function (value, _) {
		if (value === undefined) return true;
		const text = String(value).trim();
		return verdict(text.toLowerCase() === 'none' || (text !== '' && fits('decimal', text)), 'limit', label);
	};

export const validTopics: Validator = (value, _) =>
	(Array.isArray(value) && value.length > 0) || say('common.invalid.topics');
