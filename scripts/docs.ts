import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assumptionsPage } from './reference/assumptions';
import { decisionsPage } from './reference/decisions';
import { errorsPage } from './reference/errors';
import { methodTypes } from './reference/methods';
import { operationsPage } from './reference/operations';

/** What is written from the catalogue and the records, by its path from the folder of the documents. */
export const pages: Readonly<Record<string, () => string>> = {
	'operations.md': operationsPage,
	'assumptions.md': assumptionsPage,
	'errors.md': errorsPage,
	'decisions/README.md': decisionsPage,
	'../packages/core/src/client/methods.ts': methodTypes,
};

const folder = join(__dirname, '..', 'docs');

if (require.main === module) {
	for (const [name, write] of Object.entries(pages)) writeFileSync(join(folder, name), write());
}
