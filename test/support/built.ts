/**
 * Hosts are tested with the built packages: a missing or stale build ends the run with an error that says what to do.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt } from '../../scripts/hosts/build';

/** The environment variable with the folder in which the test files of a run share what is made once. */
export const PACKED_FOLDER = 'PARTNER_EXCHANGE_PACKED';

// eslint-disable-next-line no-restricted-syntax -- Jest calls what a file exports as its default.
export default function requireBuild(): void {
	if (!isBuilt(join(__dirname, '..', '..')))
		throw new Error(
			'What the hosts load is missing or older than its source. Run `npm run build`, then the tests again.',
		);
	// The projects of a run share it.
	if (process.env[PACKED_FOLDER]) return;
	const folder = mkdtempSync(join(tmpdir(), 'packed-'));
	process.env[PACKED_FOLDER] = folder;
	// The same host is started many times; Node then compiles its modules once.
	process.env['NODE_COMPILE_CACHE'] ??= join(folder, 'compiled');
	process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
