import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { bundle, folder } from '../bundle';

/** The command as it is shipped, one file, in a process of its own. */
let bundled: string | undefined;

function program(): string {
	if (bundled) return bundled;
	bundled = join(folder, 'cli.cjs');
	bundle('packages/sandbox/src/cli.ts', bundled);
	return bundled;
}

export interface Started {
	child: ChildProcess;
	url: string;
	firstAnswerMs: number;
}

export async function startProcess(argv: string[]): Promise<Started> {
	const file = program();
	const started = performance.now();
	const child = spawn(process.execPath, [file, '--port', '0', ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
	// A benchmark that fails leaves no server behind.
	const end = () => void child.kill();
	process.once('exit', end);
	child.once('exit', () => process.removeListener('exit', end));
	const url = await new Promise<string>((resolve, reject) => {
		let output = '';
		child.stdout?.on('data', (chunk) => {
			output += String(chunk);
			const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
			if (found) resolve(found[0]);
		});
		child.once('exit', () => reject(new Error(`The sandbox did not start: ${output}`)));
	});
	await fetch(`${url}/v1/partner/wallets/chains`);
	return { child, url, firstAnswerMs: performance.now() - started };
}

export const stop = (child: ChildProcess): Promise<unknown> => {
	const gone = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	return gone;
};
