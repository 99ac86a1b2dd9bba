/**
 * Our packages as tarballs, packed once for all test files of a run, or for one file where the run has no shared
 * folder.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pack } from '../../scripts/hosts/package';
import { PACKED_FOLDER } from './built';

const own = mkdtempSync(join(tmpdir(), 'packed-'));
const packed = new Map<string, Promise<string>>();

const remove = (): void => rmSync(own, { recursive: true, force: true });
// Scripts use this too, without Jest.
if (typeof afterAll === 'function') afterAll(remove);
else process.once('exit', remove);

/** The tarball of a package folder; a path to a tarball is returned as it is. */
export async function tarballOf(source: string): Promise<string> {
	if (source.endsWith('.tgz')) return source;
	packed.set(source, packed.get(source) ?? packOnce(source));
	return await packed.get(source)!;
}

async function packOnce(source: string): Promise<string> {
	const shared = process.env[PACKED_FOLDER];
	if (!shared) return await pack(source, own);
	const file = join(shared, `${basename(source)}.tgz`);
	// Two files may pack at the same time; each moves a complete tarball into place.
	if (!existsSync(file)) renameSync(await pack(source, own), file);
	return file;
}
