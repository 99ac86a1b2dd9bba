import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exchangeAsyncApi } from '../packages/sandbox/src/description/asyncapi';
import { exchangeOpenApi } from '../packages/sandbox/src/description/openapi';
import { VERSION } from '../packages/sandbox/src/version';
import { assumptionsPage } from './reference/assumptions';
import { decisionsPage } from './reference/decisions';
import { errorsPage } from './reference/errors';
import { methodTypes } from './reference/methods';
import { npmPage } from './reference/npm-page';
import { operationsPage } from './reference/operations';

/** What is written from the catalogue and the records, by its path from the folder of the documents. */
export const pages: Readonly<Record<string, () => string>> = {
	'operations.md': operationsPage,
	'assumptions.md': assumptionsPage,
	'errors.md': errorsPage,
	'n8n-package.md': npmPage,
	'decisions/README.md': decisionsPage,
	'openapi.json': () => written(exchangeOpenApi(VERSION)),
	'asyncapi.json': () => written(exchangeAsyncApi(VERSION)),
	'../packages/core/src/client/methods.ts': methodTypes,
};

const written = (document: object): string => `${JSON.stringify(document, null, '\t')}\n`;

const folder = join(__dirname, '..', 'docs');

if (require.main === module) {
	// A page that fails to be written leaves all as they are.
	const texts = Object.entries(pages).map(([name, write]) => [name, write()] as const);
	for (const [name, text] of texts) writeFileSync(join(folder, name), text);
}
