/** `npm run dev`: rebuilds and restarts the demo whenever a source changes. Runs Node-RED, or n8n with `--host n8n`. */
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { startChild, type Child } from './hosts/child';
import { readFlags, SANDBOX_PORT } from './hosts/flags';
import { SOURCES } from './hosts/build';
import { tell } from './hosts/story';

const root = join(__dirname, '..');
const DEBUGGER_PORT = '9229';
/** Quiet time before a build, so that an editor that saves several files at once causes only one. */
const QUIET_MS = 300;
const SCRIPTS: Record<string, string> = { 'node-red': 'start.ts', n8n: 'start-n8n.ts' };

const PURPOSE = 'Runs the demo, and builds and starts it again whenever a source changes. A debugger may attach.';
const FLAGS = {
	host: { type: 'string', default: 'node-red', value: 'NAME', about: 'node-red or n8n' },
	inspect: { type: 'string', default: DEBUGGER_PORT, value: 'PORT', about: 'where a debugger attaches' },
	folder: { type: 'string', default: '.sandbox', value: 'FOLDER', about: 'where everything is kept' },
	'sandbox-port': SANDBOX_PORT,
	'host-port': { type: 'string', default: '', value: 'PORT', about: 'where the host listens, if not as usual' },
} as const;

async function dev(): Promise<void> {
	const flags = readFlags('run dev', PURPOSE, FLAGS);
	if (!flags) return;
	const script = SCRIPTS[flags.host];
	if (!script) throw new Error(`--host ${flags.host} is not known; it is one of ${Object.keys(SCRIPTS).join(', ')}.`);
	const hostPort = flags['host-port'] ? [`--${flags.host}-port`, flags['host-port']] : [];
	const start = (): Child =>
		startChild({
			args: [
				...['--import', 'tsx', join(root, 'scripts', script), '--no-build', '--folder', flags.folder],
				...['--inspect', flags.inspect, '--sandbox-port', flags['sandbox-port'], ...hostPort],
			],
			cwd: root,
			env: process.env,
			onLine: (line) => void process.stdout.write(`${line}\n`),
		});
	await run(start, async () => await build(flags.host));
}

/** Builds and starts one at a time; changes during a build cause another one right after. */
async function run(start: () => Child, build: () => Promise<boolean>): Promise<void> {
	const changes = changesOf(SOURCES);
	let demo: Child | undefined;
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, changes.end);
	do {
		if (await build()) {
			await demo?.stop('SIGINT');
			demo = start();
		}
	} while (await changes.next());
	await demo?.stop('SIGINT');
}

async function build(host: string): Promise<boolean> {
	tell('Building.');
	const gulp = join(root, 'node_modules', 'gulp', 'bin', 'gulp.js');
	const child = spawn(process.execPath, [gulp, `quickly-${host}`, '-L'], { cwd: root, stdio: 'inherit' });
	const code = await new Promise((resolve) => child.once('exit', resolve).once('error', () => resolve(-1)));
	if (code !== 0) tell('The build failed; what ran goes on. Mend it and save.');
	return code === 0;
}

interface Changes {
	/** Resolves with true after a change followed by a quiet time; with false when watching has ended. */
	next: () => Promise<boolean>;
	end: () => void;
}

function changesOf(folders: readonly string[]): Changes {
	let state: 'unchanged' | 'changed' | 'ended' = 'unchanged';
	let quiet: NodeJS.Timeout | undefined;
	let wakeUp = (): void => undefined;
	const onChange = (folder: string, file: string | null): void => {
		if (state === 'unchanged') tell(`${file ? join(folder, file) : folder} changed.`);
		state = 'changed';
		clearTimeout(quiet);
		quiet = setTimeout(() => wakeUp(), QUIET_MS);
	};
	const watchers = folders.map((folder) =>
		watch(join(root, folder), { recursive: true }, (_, file) => onChange(folder, file)),
	);
	return {
		next: async () => {
			if (state === 'unchanged') await new Promise<void>((resolve) => (wakeUp = resolve));
			if (state === 'ended') return false;
			state = 'unchanged';
			return true;
		},
		end: () => {
			state = 'ended';
			clearTimeout(quiet);
			watchers.forEach((watcher) => watcher.close());
			wakeUp();
		},
	};
}

dev().then(
	// A parent process may hold an IPC channel open, which would keep this process running.
	() => process.exit(0),
	(error: unknown) => {
		process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n\n`);
		process.exit(1);
	},
);
