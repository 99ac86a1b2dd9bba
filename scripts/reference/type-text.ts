/** How a type is written. */
import type { Field } from '../../packages/core/src/catalogue';

export const literals = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(' | ');

export function valueType({ kind, values }: Field): string {
	const union = values && values.length > 0 ? literals(values) : 'string';
	if (kind === 'choices') return `readonly (${union})[]`;
	if (kind === 'choice') return union;
	if (kind === 'integer') return 'number';
	if (kind === 'boolean') return 'boolean';
	return kind === 'json' ? 'Record<string, unknown>' : 'string';
}

export const wrapped = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
export const pascal = (text: string): string => text.split(/[_-]/).map(capital).join('');

/** A comment of one line, which an editor breaks as it likes, and below it what a call may end as. */
export function doc(sentences: readonly string[], depth = 0, throws?: string): string {
	const indent = '\t'.repeat(depth);
	const words = sentences.join(' ');
	if (throws === undefined) return `${indent}/** ${words} */\n`;
	return ['/**', ` * ${words}`, ` * @throws ${throws}`, ' */\n'].map((line) => indent + line).join('\n');
}
