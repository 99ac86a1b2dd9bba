import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { code, generated, page, table } from './words';

const root = join(__dirname, '../..');
const stream = 'packages/core/src/stream/limits.ts';
const elsewhere = ['packages/{core,node-red}/src/**/*.ts', 'nodes/**/*.ts'];

/** A subject, or a constant, with the comment above it if it has one. */
const PARTS =
	/^\/\/ (?<subject>.+)$|(?:\/\*\*(?<why>(?:(?!\*\/)[\s\S])+)\*\/\n)?^(?:export )?const (?<name>[A-Z]\w+) = (?<value>.+);(?<next>\n(?=(?:export )?const [A-Z]))?/gm;

/** The names of constants that limit something. A constant such as `DAY_MS` is a unit of time and no limit. */
const LIMIT = /(?<!^(?:MINUTE|DAY))_(?:MAX|MIN|MS|ROW)$|_(?:MAX|MIN)_/;

/** The limits of a file. A limit without a comment, right below another one, shares the comment of that one. */
function limitsIn(file: string, isLimit: (name: string) => boolean): string[][] {
	let shared: string | undefined;
	return [...readFileSync(join(root, file), 'utf8').matchAll(PARTS)].flatMap(
		({ groups: { subject, name = '', value = '', why, next } = {} }) => {
			if (subject) return file === stream ? [[`**${subject}**`, '', '']] : [];
			const words = why?.replace(/\s+(\* )?/g, ' ').trim() ?? shared;
			shared = next === undefined ? undefined : words;
			if (!isLimit(name)) return [];
			if (!words) throw new Error(`${file}, ${name}: a comment says whom it protects, and what happens at it.`);
			return [[code(name), written(value), words]];
		},
	);
}

/** Every limit: whom it protects, and what happens at it. */
export function limitsPage(): string {
	const others = globSync(elsewhere, { cwd: root })
		.filter((file) => !file.startsWith('packages/core/src/stream/'))
		.sort();
	const rows = others.flatMap((file) => {
		const limits = limitsIn(file, (name) => LIMIT.test(name));
		return limits.length === 0 ? [] : [[`**${file.replace('packages/', '').replace('/src', '')}**`, '', ''], ...limits];
	});
	return page(
		generated,
		'# Limits',
		'Whom each protects, and what happens at it. Times are milliseconds. First those of the stream, which [limits.ts](../packages/core/src/stream/limits.ts) has, then those of all other files of the core, Node-RED and n8n.',
		table(
			['Limit', 'Value', 'Why'],
			limitsIn(stream, () => true),
		),
		table(['Limit', 'Value', 'Why'], rows),
	);
}

/** `1024 * 1024`, `10_000` and `{ base: 500, cap: 8_000 }` as people write them. */
const written = (value: string): string =>
	value
		.replace(/ as const$/, '')
		.replace(/^\{ (?:base|min): (\w+), (?:cap|max): (\w+) \}$/, '$1 to $2')
		.replace(/^(?:(\d+) \* )?1024 \* 1024$/, (_all, times = '1') => `${times} MiB`)
		.replaceAll('_', ',');
