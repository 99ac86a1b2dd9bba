/** Child processes of the hosts: their output and their end. A child never outlives this process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { HOST } from './ports';

export interface ChildOptions {
	args: string[];
	cwd: string;
	env: NodeJS.ProcessEnv;
	onLine?: (line: string) => void;
	/** The Node executable to run it with; by default the one of this process. */
	node?: string;
	/** The port on which it waits for a debugger to attach, with source maps enabled. */
	inspectPort?: number;
}

export interface ProgramOptions extends ChildOptions {
	program: string;
	/** The user to run as, for programs that refuse to run as root. */
	user?: string;
}

export interface Exit {
	code: number | null;
	signal: NodeJS.Signals | null;
}

export interface Child {
	process: ChildProcess;
	/** The standard output and standard error, combined. */
	log: () => string;
	exit: () => Exit | undefined;
	exited: Promise<Exit>;
	/** Sends a signal, and kills the process if it has not ended in time. */
	stop: (signal?: NodeJS.Signals, patienceMs?: number) => Promise<Exit>;
}

const LOG_CHARACTERS_MAX = 4_000_000;
const STOP_PATIENCE_MS = 60_000;

// The IPC channel closes when the parent ends for any reason; the child then kills itself.
const DIE_WITH_PARENT = "data:text/javascript,process.once('disconnect',()=>process.kill(process.pid,'SIGKILL'))";

/** Starts a Node program. Detached, so that Ctrl-C reaches only this process, which then stops the hosts in order. */
export function startChild({ args, cwd, env, onLine, node = process.execPath, inspectPort }: ChildOptions): Child {
	const inspect = inspectPort ? ['--enable-source-maps', `--inspect=${HOST}:${inspectPort}`] : [];
	const child = spawn(node, [...inspect, '--import', DIE_WITH_PARENT, ...args], {
		cwd,
		env,
		detached: true,
		serialization: 'advanced',
		stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
	});
	return follow(child, onLine);
}

/** Starts a system program. It has no IPC channel, so the kernel is asked to kill it when this process ends. */
export function startProgram({ program, user, args, cwd, env, onLine }: ProgramOptions): Child {
	const as = user === undefined ? [] : ['--reuid', user, '--regid', user, '--init-groups'];
	const command = ['--pdeathsig', 'KILL', ...as, '--', program, ...args];
	return follow(spawn('setpriv', command, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }), onLine);
}

function follow(child: ChildProcess, onLine: ChildOptions['onLine']): Child {
	let log = '';
	let rest = '';
	let exit: Exit | undefined;
	const read = (chunk: Buffer): void => {
		log = (log + chunk.toString()).slice(-LOG_CHARACTERS_MAX);
		const lines = (rest + chunk.toString()).split('\n');
		rest = lines.pop()!;
		lines.forEach((line) => onLine?.(line));
	};
	child.stdout!.on('data', read);
	child.stderr!.on('data', read);
	const exited = new Promise<Exit>((resolve) => {
		child.once('exit', (code, signal) => resolve((exit = { code, signal })));
		child.once('error', () => resolve((exit = { code: -1, signal: null })));
	});
	const stop = async (signal: NodeJS.Signals = 'SIGTERM', patienceMs = STOP_PATIENCE_MS): Promise<Exit> => {
		if (!exit) child.kill(signal);
		const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
		return await exited.finally(() => clearTimeout(timer));
	};
	return { process: child, log: () => log, exit: () => exit, exited, stop };
}

/** This process's environment without variables that would configure the host; those for certificates and npm stay. */
export function inheritedEnvironment(drop: RegExp): NodeJS.ProcessEnv {
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !drop.test(name)));
}
