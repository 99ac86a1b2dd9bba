import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startN8n, type N8nHost } from '../../scripts/hosts/n8n';
import { installN8n } from '../../scripts/hosts/n8n-install';
import { pack } from '../../scripts/hosts/package';
import { freePort } from '../../scripts/hosts/ports';

const PACKAGE = join(__dirname, '..', '..');

export interface N8nFolder {
	/** The database of n8n. */
	database: string;
	/** Starts n8n on the folder, with our package in it from now on where that is wanted. */
	start(options?: { withPackage: boolean }): Promise<N8nHost>;
}

/** Works with a complete n8n on a folder of its own, and takes both away whatever becomes of the work. */
export async function withN8n(profiles: string | undefined, work: (folder: N8nFolder) => Promise<void>): Promise<void> {
	const userFolder = await mkdtemp(join(tmpdir(), 'crowd-'));
	const { program } = await installN8n((line) => process.stderr.write(`${line}\n`));
	let host: N8nHost | undefined;
	const start: N8nFolder['start'] = async ({ withPackage } = { withPackage: false }) => {
		const packages = withPackage ? [await pack(PACKAGE, userFolder)] : [];
		host = await startN8n({ program, userFolder, port: await freePort(), packages, env: profiledTo(profiles) });
		return host;
	};
	try {
		await work({ database: join(userFolder, '.n8n', 'database.sqlite'), start });
	} finally {
		await host?.child.stop();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 5 });
	}
}

/** Lets a process of Node write a profile of its processor time into a folder when it ends. */
const profiledTo = (folder: string | undefined): NodeJS.ProcessEnv =>
	folder === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-interval=2000` };
