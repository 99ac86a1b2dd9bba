/** Our packages as tarballs: packed once per test file, thrown away with its last test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from '../../scripts/hosts/package';

const folder = mkdtempSync(join(tmpdir(), 'packed-'));
const packed = new Map<string, Promise<string>>();

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The tarball of a package folder; a path to a tarball is answered as it is. */
export async function tarballOf(source: string): Promise<string> {
	if (source.endsWith('.tgz')) return source;
	packed.set(source, packed.get(source) ?? pack(source, folder));
	return await packed.get(source)!;
}
