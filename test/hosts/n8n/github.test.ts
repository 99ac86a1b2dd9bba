/** The example that runs workflows in GitHub Actions: its steps after the installation, one shell for each as there. */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { installN8n } from '../../../scripts/hosts/n8n-install';
import { unpack } from '../../../scripts/hosts/package';
import { freePort } from '../../../scripts/hosts/ports';
import { supported } from '../../../scripts/hosts/versions';
import { usedFolder } from '../../support/n8n-setup';
import { tarballOf } from '../../support/tarball';
import { root } from './bench';

const text = readFileSync(join(root, 'examples/github/flows.yml'), 'utf8');
const BEFORE = ['Start the sandbox', 'Bring the workflows into n8n'];

/** The script of a step, without the indentation of the file. */
function scriptOf(name: string): string {
	const [, block, line] = new RegExp(`- name: ${name}\\n(?: +if: .*\\n)? +run: (?:\\|\\n((?: {10}.*\\n)+)|(.*))`).exec(
		text,
	)!;
	return block?.replaceAll(/^ {10}/gm, '') ?? line!;
}

describe('the example for GitHub Actions', () => {
	let folder: string;
	let env: NodeJS.ProcessEnv;
	const run = async (name: string): Promise<string> => {
		const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
		return (await promisify(execFile)('bash', ['-eo', 'pipefail', '-c', scriptOf(name)], options)).stdout;
	};

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'github-'));
		const n8n = await installN8n((line) => process.stderr.write(`${line}\n`));
		// What the two steps of installation leave behind: the commands of the sandbox and of n8n, and the nodes.
		const tools = join(folder, 'tools');
		mkdirSync(tools);
		const sandbox = `#!/bin/sh\nexec '${process.execPath}' '${join(root, 'packages/sandbox/dist/cli.js')}' "$@"\n`;
		writeFileSync(join(tools, 'partner-exchange-sandbox'), sandbox, { mode: 0o755 });
		cpSync(join(usedFolder()!, '.n8n'), join(folder, '.n8n'), { recursive: true });
		await unpack(await tarballOf(root), join(folder, '.n8n/nodes'));
		const [port, broker] = [String(await freePort()), String(await freePort())];
		const path = [tools, join(n8n.folder, 'node_modules/.bin'), dirname(process.execPath), process.env['PATH']];
		env = {
			...{ PATH: path.join(delimiter), HOME: folder, GITHUB_ENV: join(folder, 'github.env') },
			...{ N8N_DIAGNOSTICS_ENABLED: 'false', NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
			...{ N8N_RUNNERS_BROKER_PORT: broker, PARTNER_EXCHANGE_SANDBOX_PORT: port },
		};
		cpSync(join(root, 'examples/compose/n8n/first-fill.json'), join(folder, 'flows/first-fill.json'));
		for (const name of BEFORE) await run(name);
	});
	afterAll(async () => {
		const started = join(folder, 'github.env');
		const pid = existsSync(started) && /SANDBOX_PID=(\d+)/.exec(readFileSync(started, 'utf8'))?.[1];
		if (pid) process.kill(Number(pid));
		await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	});

	it('fails where the workflows fill nothing', async () => {
		await expect(run('See a fill')).rejects.toThrow('The workflows ran, and nothing was filled');
	});

	it('runs the workflows against the sandbox, whatever credentials they name, and sees the fill', async () => {
		await run('Run the workflows');
		expect(await run('See a fill')).toMatch(/^filled: buy 10\.00 USD\/NGN at \d+\.\d+\n$/);
		expect(await run('What reached the sandbox')).toMatch(/POST .*orders/);
	});

	it('fails where a workflow fails', async () => {
		// The command of n8n that fails, without the time it takes.
		writeFileSync(join(folder, 'tools/n8n'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
		await expect(run('Run the workflows')).rejects.toThrow('Command failed');
		rmSync(join(folder, 'tools/n8n'));
	});

	it('installs the n8n that is tested', () => {
		expect(text).toContain(`"dependencies":{"n8n":"${supported.n8n[0]}"}`);
	});
});
