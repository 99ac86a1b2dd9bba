/**
 * Installs n8n before the first test that needs it, outside any test's time limit, so that a failure shows its own
 * message.
 */
import { installN8n } from '../../scripts/hosts/n8n-install';
import requireBuild from './built';

// eslint-disable-next-line no-restricted-syntax -- Jest calls what a file exports as its default.
export default async function setUp(): Promise<void> {
	requireBuild();
	await installN8n((line) => process.stderr.write(`${line}\n`));
}
