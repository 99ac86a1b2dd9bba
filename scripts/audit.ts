/**
 * Checks packages that reach a user, those in the bundles and the dependencies of core and sandbox, for known
 * vulnerabilities. Fails if there are any; if the registry does not answer, it says so and does not fail.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from './hosts/npm';

const ROOT = join(__dirname, '..');
const WAIT_MS_MAX = 60_000;
/** Severities that block a release. */
const SEVERE: readonly string[] = ['moderate', 'high', 'critical'];

export interface Weakness {
	name: string;
	severity: string;
	titles: string[];
}

/** The vulnerabilities in a report of `npm audit --json`, or undefined if the text is no such report. */
export function weaknessesIn(report: string): Weakness[] | undefined {
	const { vulnerabilities } = parsed(report);
	if (typeof vulnerabilities !== 'object' || vulnerabilities === null) return undefined;
	const entries = Object.entries(vulnerabilities as Record<string, { severity?: unknown; via?: unknown }>);
	return entries.map(([name, { severity, via }]) => ({
		name,
		severity: String(severity),
		titles: (Array.isArray(via) ? via : []).flatMap((cause) => (hasTitle(cause) ? [cause.title] : [])),
	}));
}

const hasTitle = (cause: unknown): cause is { title: string } =>
	typeof (cause as { title?: unknown } | null)?.title === 'string';

function parsed(report: string): { vulnerabilities?: unknown } {
	try {
		return (JSON.parse(report) ?? {}) as { vulnerabilities?: unknown };
	} catch {
		return {};
	}
}

/** Names of the packages that reach a user. */
export function shipped(root = ROOT): string[] {
	const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as object;
	const bundled = ['dist', 'packages/node-red/dist'].flatMap((folder) =>
		(read(`${folder}/sbom.cdx.json`) as { components: { name: string }[] }).components.map(({ name }) => name),
	);
	const needed = ['packages/core', 'packages/sandbox'].flatMap((folder) =>
		Object.keys((read(`${folder}/package.json`) as { dependencies?: object }).dependencies ?? {}),
	);
	const inConsole = Object.keys((read('packages/sandbox/package.json') as { devDependencies: object }).devDependencies);
	return [...new Set([...bundled, ...needed, ...inConsole])].sort();
}

export const keepsBack = ({ name, severity }: Weakness, names: readonly string[]): boolean =>
	names.includes(name) && SEVERE.includes(severity);

function main(): void {
	execFile(
		process.execPath,
		npm('audit', '--json'),
		{ cwd: ROOT, timeout: WAIT_MS_MAX, maxBuffer: 1 << 26 },
		(_, report) => {
			const weaknesses = weaknessesIn(report);
			if (!weaknesses) return console.log('The registry did not answer, so nothing is known of weaknesses.');
			const names = shipped();
			const ours = weaknesses.filter((weakness) => keepsBack(weakness, names));
			for (const { name, severity, titles } of ours) console.log(`${name}: ${severity}. ${titles.join('. ')}`);
			console.log(`${ours.length} weaknesses in what is shipped, ${weaknesses.length - ours.length} in tools.`);
			if (ours.length > 0) process.exitCode = 1;
		},
	);
}

if (require.main === module) main();
