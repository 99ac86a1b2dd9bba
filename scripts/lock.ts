/**
 * Completes package-lock.json after an install. Where a registry holds only the binaries of some platforms, npm leaves the others out
 * of the lock file, and `npm ci` then refuses it, since they are still named as optional. They are entered by name and version alone.
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

/** The optional packages that are named but not entered. */
export function missingFrom({ packages }: Lock): Array<{ name: string; version: string }> {
	return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
		Object.entries(optionalDependencies)
			.filter(([name]) => !placesOf(path, name).some((place) => place in packages))
			.map(([name, version]) => ({ name, version })),
	);
}

/** Where Node would look for a dependency: beside the package, then further and further out. */
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
