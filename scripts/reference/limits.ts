import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, generated, page, table } from './words';

const source = join(__dirname, '../../packages/core/src/stream/limits.ts');

/** A subject, or a limit, with the comment above it if it has one. */
const PARTS =
	/^\/\/ (?<subject>.+)$|(?:\/\*\*(?<why>(?:(?!\*\/)[\s\S])+)\*\/\n)?^export const (?<name>\w+) = (?<value>.+);$/gm;

/** The limits of the stream: whom each protects, and what happens at it. */
export function limitsPage(): string {
	const rows = [...readFileSync(source, 'utf8').matchAll(PARTS)].map(
		({ groups: { subject, name, value, why } = {} }) => {
			if (subject) return [`**${subject}**`, '', ''];
			if (!why)
				throw new Error(`${name}: a comment in stream/limits.ts says whom it protects, and what happens at it.`);
			return [code(name!), written(value!), why.replace(/\s+(\* )?/g, ' ').trim()];
		},
	);
	return page(
		generated,
		'# Limits of the stream',
		'Whom each protects, and what happens at it. Times are milliseconds. `packages/core/src/stream/limits.ts` has them.',
		table(['Limit', 'Value', 'Why'], rows),
	);
}

/** `1024 * 1024`, `10_000` and `{ base: 500, cap: 8_000 }` as people write them. */
const written = (value: string): string =>
	value
		.replace(/ as const$/, '')
		.replace(/^\{ base: (\w+), cap: (\w+) \}$/, '$1 to $2')
		.replace(/^(?:(\d+) \* )?1024 \* 1024$/, (_all, times = '1') => `${times} MiB`)
		.replaceAll('_', ',');
