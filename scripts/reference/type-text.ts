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

export function doc(lines: readonly string[], depth = 0): string {
	const indent = '\t'.repeat(depth);
	if (lines.length === 1) return `${indent}/** ${lines[0]!} */\n`;
	return `${indent}/**\n${lines.map((line) => `${indent} *${line === '' ? '' : ` ${line}`}\n`).join('')}${indent} */\n`;
}
