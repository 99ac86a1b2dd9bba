import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

// The file that imports this has closed what it opened in its own blocks by then.
afterAll(() => made.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })));

/** An empty folder, which is removed behind the last test of the file. */
export function newFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'test-'));
	made.push(folder);
	return folder;
}
