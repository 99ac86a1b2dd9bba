/**
 * Debian's PostgreSQL on the loopback interface, as n8n's database: without passwords, and with all data in one folder.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startProgram, type Child } from './child';
import { until } from './condition';
import { HOST } from './ports';
import { newestFolders, requireProgram } from './system';

export const DATABASE = { user: 'n8n', name: 'postgres' };

export interface PostgresOptions {
	folder: string;
	port: number;
	own?: (child: Child) => void;
}

const run = promisify(execFile);
const UNPRIVILEGED = 'postgres';
const INIT_TIMEOUT_MS = 120_000;

export const requirePostgres = async (): Promise<string> =>
	await requireProgram('postgres', await newestFolders('/usr/lib/postgresql', 'bin'), 'postgresql');

export async function startPostgres({ folder, port, own }: PostgresOptions): Promise<Child> {
	const program = await requirePostgres();
	const bin = join(program, '..');
	const user = process.getuid?.() === 0 ? UNPRIVILEGED : undefined;
	await prepare(folder, user);
	const env = { PATH: process.env['PATH'], HOME: folder, LANG: 'C.UTF-8' };
	const data = join(folder, 'data');
	if (!existsSync(join(data, 'PG_VERSION'))) {
		const args = ['-D', data, '-A', 'trust', '-U', DATABASE.user, '-E', 'UTF8', '--no-sync'];
		const init = startProgram({ program: join(bin, 'initdb'), user, args, cwd: folder, env });
		const { code } = await init.exited;
		if (code !== 0) throw new Error(`PostgreSQL's data folder ${data} was not made:\n${init.log().slice(-2000)}`);
	}
	const settings = [`listen_addresses=${HOST}`, `unix_socket_directories=${folder}`, 'max_connections=300'];
	const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
	const child = startProgram({ program, user, args, cwd: folder, env });
	own?.(child);
	const answers = async (): Promise<boolean> => {
		if (child.exit()) throw new Error(`PostgreSQL ended while starting:\n${child.log().slice(-2000)}`);
		const ask = run(join(bin, 'pg_isready'), ['-h', HOST, '-p', String(port)], { timeout: INIT_TIMEOUT_MS });
		return await ask.then(
			() => true,
			() => false,
		);
	};
	await until(answers, { everyMs: 50, what: 'PostgreSQL to start', seen: () => child.log().slice(-2000) });
	return child;
}

/** PostgreSQL refuses to run as root, so the folder is made accessible to the user it runs as. */
async function prepare(folder: string, user: string | undefined): Promise<void> {
	await mkdir(folder, { recursive: true });
	if (user === undefined) return;
	const [uid, gid] = await Promise.all(
		['-u', '-g'].map(async (flag) => Number((await run('id', [flag, user])).stdout)),
	);
	await chown(folder, uid!, gid!);
	await chmod(folder, 0o700);
	const enter = run('setpriv', ['--reuid', user, '--regid', user, '--init-groups', '--', 'ls', folder]);
	await enter.catch(() => {
		throw new Error(
			`PostgreSQL does not run as root, and its user \`${user}\` cannot enter ${folder}.\n` +
				'Choose a data folder it can enter, for example:\n  npm run start:queue -- --folder /var/tmp/partner-exchange',
		);
	});
}
