import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assumptionsPage } from './reference/assumptions';
import { decisionsPage } from './reference/decisions';
import { errorsPage } from './reference/errors';
import { operationsPage } from './reference/operations';

/** The generated pages of the documentation by file name. */
export const pages: Readonly<Record<string, () => string>> = {
	'operations.md': operationsPage,
	'assumptions.md': assumptionsPage,
	'errors.md': errorsPage,
	'decisions/README.md': decisionsPage,
};

const folder = join(__dirname, '..', 'docs');

if (require.main === module) {
	for (const [name, write] of Object.entries(pages)) writeFileSync(join(folder, name), write());
}
