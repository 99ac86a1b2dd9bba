/**
 * Checks values typed into a form. An empty value passes, because the message may supply it; the runtime checks again.
 */
import { readDecimal } from '@partner-exchange/core/adapters';
import { $, type EditorNode } from './host';
import { say } from './words';

const accepts: Record<string, RegExp> = {
	decimal: /^(0|[1-9]\d*)(\.\d+)?$/,
	integer: /^\d+$/,
	id: /^[A-Za-z0-9_-]{1,128}$/,
};

/** `${NAME}` is an environment variable; Node-RED allows one in any property. */
export const isVariable = (text: string): boolean => /^\$\{[^}]+\}$/.test(text);

export const fits = (kind: string, value: unknown): boolean => {
	const text = String(value ?? '').trim();
	return text === '' || isVariable(text) || (accepts[kind]?.test(text) ?? true);
};

/** The editor shows a returned text as the reason, but only for validators that declare two parameters. */
export type Validator = (this: EditorNode, value: unknown, about: unknown) => boolean | string;

const verdict = (isFine: boolean, reason: string, label: string): boolean | string =>
	isFine || say(`common.invalid.${reason}`, { field: say(label) });

/** What is wrong with a typed value, and how to write it where that is certain. */
export function verdictOn(value: unknown, kind: string, label: string): boolean | string {
	const read = readDecimal(String(value ?? ''));
	const plain = kind === 'decimal' && 'reason' in read ? read.nearest : undefined;
	if (plain !== undefined) return say('common.invalid.separators', { field: say(label), plain });
	return verdict(fits(kind, value), kind, label);
}

/** A validator for the `defaults` of a node: checks typed values, and of others only that a source is given. */
export function valid(kind: string, property: string, label: string): Validator {
	return function (value, _) {
		const type = typeOf(this, property);
		const isTyped = type === 'str' || type === 'num';
		return isTyped ? verdictOn(value, kind, label) : verdict(String(value ?? '') !== '', 'empty', label);
	};
}

let open: EditorNode | undefined;

/** Remembers the node whose form is open. Until the form is closed, types are read from the form, not from the node. */
export const opened = (node: EditorNode): void => void (open = node);

const typeOf = (node: EditorNode, property: string): unknown => settingOf(node, `${property}Type`) ?? 'str';

/** A property as the open form has it, or as the node has it. */
export const settingOf = (node: EditorNode, property: string): unknown =>
	(node === open ? $(`#node-input-${property}`).val() : undefined) ?? node[property];

/** The validator's result for a property: true or undefined if valid, otherwise the reason. */
const verdictOf = (node: EditorNode, property: string, value: unknown): unknown =>
	node._def.defaults[property]?.validate?.call(node, value, {});

/**
 * Accepts a complete URL with the scheme of the example, that ends in the version. An address that follows from another
 * one may be left empty.
 */
export const validUrl = (ending: string, label: string, example: string, isOptional = false): Validator =>
	function (value, _) {
		const text = String(value ?? '').trim();
		const isUrl = new RegExp(`^${example.split('s:')[0]}s?://[^\\s?#@]+${ending}/?$`).test(text);
		if (isOptional && text === '') return true;
		return isVariable(text) || isUrl || say('common.invalid.url', { field: say(label), example });
	};

/**
 * Accepts a number or the word for no limit; undefined is valid, because an account that was not written by
 * this form may lack the property.
 */
export const validLimit = (label: string): Validator =>
	function (value, _) {
		if (value === undefined) return true;
		const text = String(value).trim();
		return verdict(text.toLowerCase() === 'none' || (text !== '' && fits('decimal', text)), 'limit', label);
	};

export const validTopics: Validator = (value, _) =>
	(Array.isArray(value) && value.length > 0) || say('common.invalid.topics');

// Shows below a field why it is invalid. The editor shows the reason only in a tooltip, which typed inputs lack.

type Prefix = 'node-input' | 'node-config-input';

export function showReasons(node: EditorNode, prefix: Prefix = 'node-input'): void {
	for (const name of Object.keys(node._def.defaults)) {
		const input = document.getElementById(`${prefix}-${name}`);
		if (input && node._def.defaults[name]!.validate) watch(node, name, input);
	}
}

function watch(node: EditorNode, name: string, input: HTMLElement): void {
	const reason = document.createElement('span');
	reason.className = 'partner-exchange-reason';
	reason.setAttribute('aria-live', 'polite');
	input.closest('.form-row')?.append(reason);
	const show = (): void => {
		const verdict = verdictOf(node, name, $(input).val());
		reason.textContent = typeof verdict === 'string' ? verdict : '';
		// The line stays once it was there: the form must not move while somebody is about to click into it.
		reason.style.minHeight = `${reason.offsetHeight}px`;
	};
	$(input).on('change keyup paste', show);
	show();
	const folded = input.closest('details');
	if (folded && reason.textContent !== '') folded.open = true;
}
