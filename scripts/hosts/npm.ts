/** npm, run by the Node that runs this: on Windows `npm` is a batch file, which no program can be started as. */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/** The arguments of Node that run npm. */
export const npm = (...args: string[]): string[] => [npmScript(), ...args];

/** Node that runs npm also runs the build scripts that npm starts, whose native modules have to fit it. */
export const npmEnvironment = (): NodeJS.ProcessEnv => ({
	...process.env,
	[pathName()]: [dirname(process.execPath), process.env[pathName()]].join(delimiter),
});

const SCRIPT = 'npm-cli.js';

/** The first npm of PATH: its script in a folder beside it, as on Windows, or what its link leads to. */
export function npmScript(environment: NodeJS.ProcessEnv = process.env): string {
	const folders = (environment[pathName()] ?? '').split(delimiter).filter(Boolean);
	const scripts = folders.flatMap((folder) => [
		join(folder, 'node_modules', 'npm', 'bin', SCRIPT),
		targetOf(join(folder, 'npm')),
	]);
	const found = [...scripts, environment['npm_execpath'] ?? ''].find(
		(file) => file.endsWith(SCRIPT) && existsSync(file),
	);
	if (found === undefined) throw new Error('There is no npm in PATH. Install Node with npm, or start this with npm.');
	return found;
}

/** Windows writes it as it likes. */
const pathName = (): string => Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';

const targetOf = (link: string): string => (existsSync(link) ? realpathSync(link) : '');
