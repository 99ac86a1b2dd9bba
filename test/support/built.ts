/** Hosts are tested as they are built: a missing or stale build would test something else, so it ends the run with the remedy. */
import { join } from 'node:path';
import { isBuilt } from '../../scripts/hosts/build';

// eslint-disable-next-line no-restricted-syntax -- Jest calls what a file exports as its default.
export default function requireBuild(): void {
	if (isBuilt(join(__dirname, '..', '..'))) return;
	throw new Error(
		'What the hosts load is missing or older than its source. Run `npm run build`, then the tests again.',
	);
}
