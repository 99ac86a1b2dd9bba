/** Debian's Redis on the loopback interface, as n8n's queue. */
import { mkdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { startProgram, type Child } from './child';
import { until } from './condition';
import { HOST } from './ports';
import { requireProgram } from './system';

export interface RedisOptions {
	folder: string;
	port: number;
	/** Whether jobs survive a crash of Redis, as they should in production. */
	appendOnly: boolean;
	own?: (child: Child) => void;
}

export const requireRedis = (): Promise<string> => requireProgram('redis-server', ['/usr/bin'], 'redis-server');

export async function startRedis({ folder, port, appendOnly, own }: RedisOptions): Promise<Child> {
	const program = await requireRedis();
	await mkdir(folder, { recursive: true });
	const keeping = ['--save', '', '--appendonly', appendOnly ? 'yes' : 'no'];
	const args = ['--port', String(port), '--bind', HOST, '--dir', folder, ...keeping];
	const child = startProgram({ program, args, cwd: folder, env: process.env });
	own?.(child);
	const answers = async (): Promise<boolean> => {
		if (child.exit()) throw new Error(`Redis ended while starting:\n${child.log().slice(-2000)}`);
		return await pings(port);
	};
	await until(answers, { what: 'Redis to start', seen: () => child.log().slice(-2000) });
	return child;
}

/** Redis listens while it is still loading its file, but answers with an error. */
async function pings(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, HOST, () => socket.write('PING\r\n'));
		const finish = (isUp: boolean): void => {
			socket.destroy();
			resolve(isUp);
		};
		socket.once('data', (answer: Buffer) => finish(answer.toString().startsWith('+PONG')));
		socket.once('error', () => finish(false)).once('close', () => finish(false));
	});
}
