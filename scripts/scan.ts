/**
 * Runs n8n's package scanner, which normally downloads a published package, on this source and on the packed package,
 * and the rules of n8n's strict mode on what the package is made of.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pack } from './hosts/package';
import { strict } from './strict';

interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage: (folder: string, patterns: string[]) => Promise<{ passed: boolean; details?: string }>;
}

// The scanner has no types; a module name in a constant keeps the compiler from resolving it.
const SCANNER = '@n8n/scan-community-package/scanner/scanner.mjs';
const PACKED_PATTERNS = ['**/*.js', 'package.json'];

export interface Scan {
	name: string;
	passed: boolean;
	details: string;
}

export async function scan(root: string): Promise<Scan[]> {
	const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(SCANNER)) as Scanner;
	const temporary = await mkdtemp(join(tmpdir(), 'scan-'));
	try {
		const packed = join(temporary, 'packed');
		await mkdir(packed);
		await promisify(execFile)('tar', ['-xzf', await pack(root, temporary), '-C', packed, '--strip-components=1']);
		if (!existsSync(join(packed, 'dist')))
			throw new Error('Nothing is built, so there is nothing to scan: run `npm run build`.');
		const source = await analyzePackage(root, SOURCE_FILE_PATTERNS);
		const published = await analyzePackage(packed, PACKED_PATTERNS);
		return [
			{ name: 'SOURCE', passed: source.passed, details: source.details ?? '' },
			{ name: 'DIST', passed: published.passed, details: (published.details ?? '').replaceAll(packed, 'package') },
			await strict(root),
		];
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

async function main(): Promise<void> {
	const scans = await scan(join(__dirname, '..'));
	for (const { name, passed, details } of scans) console.log(`${name} ${passed ? 'PASS' : 'FAIL'}\n${details}`);
	process.exitCode = scans.every(({ passed }) => passed) ? 0 : 1;
}

if (require.main === module) void main();
