/** What docs/bundle.md says a bundle holds, beside what it holds. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(__dirname, '../..');
/** Smaller parts are left out of the page. */
const SHOWN_BYTES_MIN = 10_000;

interface Row {
	name: string;
	kilobytes: number;
}

/** The rows of one chapter of the page that do not fit what `builder` measures; a part that is missing has no size. */
export async function wrongRows(chapter: string, builder: string): Promise<Row[]> {
	const [said, measured] = [rowsOf(chapter), await contents(builder)];
	const isRight = ({ name, kilobytes }: Row): boolean =>
		Math.abs((measured[name] ?? 0) / 1000 - kilobytes) <= 5 + kilobytes / 4;
	const missing = Object.entries(measured)
		.filter(([name, bytes]) => bytes >= SHOWN_BYTES_MIN && !said.some((row) => row.name === name))
		.map(([name]) => ({ name, kilobytes: NaN }));
	return [...said.filter((row) => !isRight(row)), ...missing];
}

function rowsOf(chapter: string): Row[] {
	const page = readFileSync(join(root, 'docs/bundle.md'), 'utf8');
	const [, text] = page.split(`\n## ${chapter}\n`);
	if (text === undefined) throw new Error(`docs/bundle.md has no chapter ${chapter}.`);
	return text
		.split('\n## ')[0]!
		.split('\n')
		.filter((line) => /^\| `/.test(line))
		.map((line) => line.split('|').map((cell) => cell.trim()))
		.map(([, name, kilobytes]) => ({ name: name!.replaceAll('`', ''), kilobytes: Number(kilobytes) }));
}

/** Bytes by library or folder. Measured in a separate process, because the module is ESM. */
async function contents(builder: string): Promise<Record<string, number>> {
	const program = `import(process.argv[1]).then(async ({ contents }) => console.log(JSON.stringify(await contents())))`;
	const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, join(root, builder)], { cwd: root });
	return JSON.parse(stdout) as Record<string, number>;
}
