/**
 * Installs n8n before the first test that needs it, outside any test's time limit, so that a failure shows its own
 * message, and runs it once, so that each n8n of the tests begins with a database that needs no migrations.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { n8nEnvironment } from '../../scripts/hosts/n8n-environment';
import { installN8n } from '../../scripts/hosts/n8n-install';
import { freePort } from '../../scripts/hosts/ports';
import requireBuild, { PACKED_FOLDER } from './built';

const FOLDER = 'n8n';

/** A user folder in which n8n ran before; scripts have none. */
export function usedFolder(): string | undefined {
	const shared = process.env[PACKED_FOLDER];
	return shared && existsSync(join(shared, FOLDER)) ? join(shared, FOLDER) : undefined;
}

// eslint-disable-next-line no-restricted-syntax -- Jest calls what a file exports as its default.
export default async function setUp(): Promise<void> {
	requireBuild();
	const { program } = await installN8n((line) => process.stderr.write(`${line}\n`));
	const userFolder = join(process.env[PACKED_FOLDER]!, FOLDER);
	mkdirSync(userFolder);
	const env = n8nEnvironment({ userFolder, port: await freePort(), brokerPort: await freePort() });
	await promisify(execFile)(process.execPath, [program, 'list:workflow'], { env, cwd: userFolder });
}
