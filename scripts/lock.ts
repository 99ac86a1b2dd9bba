/**
 * Completes package-lock.json after an install. If a registry has the binaries of only some platforms, npm omits the
 * others from the lock file, and `npm ci` then fails, because they are still listed as optional dependencies. This
 * script adds them by name and version alone.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Lock {
	packages: Record<string, Locked>;
}

interface Locked {
	version?: string;
	optionalDependencies?: Record<string, string>;
	[field: string]: unknown;
}

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm64', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el', 'wasm32', 'arm'];

/** Optional dependencies that have no entry of their own. */
export function missingFrom({ packages }: Lock): Array<{ name: string; version: string }> {
	return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
		Object.entries(optionalDependencies)
			.filter(([name]) => !placesOf(path, name).some((place) => place in packages))
			.map(([name, version]) => ({ name, version })),
	);
}

/** Where Node looks for a dependency: in the package itself, then in each enclosing folder. */
function placesOf(path: string, name: string): string[] {
	const outer = path.split('/node_modules/').slice(0, -1).join('/node_modules/');
	return [`${path ? `${path}/` : ''}node_modules/${name}`, ...(path ? placesOf(outer, name) : [])];
}

function entered({ packages, ...lock }: Lock): Lock {
	const added = missingFrom({ packages }).map(({ name, version }): [string, Locked] => {
		const only = {
			cpu: PROCESSORS.filter((each) => name.includes(each)).slice(0, 1),
			os: SYSTEMS.filter((each) => name.includes(each)),
		};
		return [`node_modules/${name}`, { version, ...only, dev: true, optional: true }];
	});
	const all = [...Object.entries(packages), ...added].sort(([a], [b]) => a.localeCompare(b, 'en'));
	return { ...lock, packages: Object.fromEntries<Locked>(all) };
}

if (require.main === module) {
	const file = join(__dirname, '..', 'package-lock.json');
	const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
	const missing = missingFrom(lock);
	writeFileSync(file, `${JSON.stringify(entered(lock), null, 2)}\n`);
	console.log(`${missing.length} optional packages entered`);
}
