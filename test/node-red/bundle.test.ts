import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageFolder } from './flows';

/** The size limit of the runtime bundle. Whoever raises it states the reason in docs/bundle.md. */
const RUNTIME_BYTES_MAX = 900_000;
const EDITOR_BYTES_MAX = 200_000;

const root = join(__dirname, '../..');
const bundler = join(packageFolder, 'build/bundle.mjs');
const page = readFileSync(join(root, 'docs/bundle.md'), 'utf8');

/** Bytes by library or folder. Measured in a separate process, because the module is ESM. */
async function contents(): Promise<Record<string, number>> {
	const program = `import(process.argv[1]).then(async ({ contents }) => console.log(JSON.stringify(await contents())))`;
	const { stdout } = await promisify(execFile)(process.execPath, ['-e', program, bundler], { cwd: root });
	return JSON.parse(stdout) as Record<string, number>;
}

const rows = page
	.split('\n')
	.filter((line) => /^\| `/.test(line))
	.map((line) => line.split('|').map((cell) => cell.trim()))
	.map(([, name, kilobytes]) => ({ name: name!.replaceAll('`', ''), kilobytes: Number(kilobytes) }));

describe('the bundle of the Node-RED package', () => {
	it('stays within its bounds', () => {
		expect(statSync(join(packageFolder, 'dist/partner-exchange.js')).size).toBeLessThan(RUNTIME_BYTES_MAX);
		expect(statSync(join(packageFolder, 'dist/partner-exchange.html')).size).toBeLessThan(EDITOR_BYTES_MAX);
	});

	it('holds what the page about it says, each part about as large as it says', async () => {
		const measured = await contents();
		const small = (bytes: number): boolean => bytes < 10_000;
		expect(rows.map(({ name }) => name).sort()).toEqual(
			Object.keys(measured)
				.filter((name) => !small(measured[name]!))
				.sort(),
		);
		for (const { name, kilobytes } of rows) {
			const is = measured[name]! / 1000;
			expect({ name, kilobytes, near: Math.abs(is - kilobytes) <= 5 + kilobytes / 4 ? kilobytes : is }).toEqual({
				...{ name, kilobytes, near: kilobytes },
			});
		}
	});

	it('leaves out what nothing here uses: uploads, other ways of axios, the server of ws, debug printing', () => {
		const text = readFileSync(join(packageFolder, 'dist/partner-exchange.js'), 'utf8');
		for (const stranger of ['mime-db', 'application/vnd.', 'XMLHttpRequest is not', 'class WebSocketServer'])
			expect({ stranger, found: text.includes(stranger) }).toEqual({ stranger, found: false });
		const notices = readFileSync(join(packageFolder, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
		expect(notices).not.toMatch(/mime-db|form-data|supports-color/);
		expect(notices).toMatch(/axios/);
	});
});
