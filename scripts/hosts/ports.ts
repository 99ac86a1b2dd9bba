/** Ports on the loopback interface: finding a free one, and naming a taken one with the way out. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export const HOST = '127.0.0.1';

// Below the range from which systems take the ports of outgoing connections, so that none slips in before a host listens.
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;
const ATTEMPTS_MAX = 100;
const given = new Set<number>();

/** A port nobody listens on; never the same one twice. */
export async function freePort(): Promise<number> {
	for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
		const port = randomInt(PORT_MIN, PORT_MAX);
		if (given.has(port) || !(await isFree(port))) continue;
		given.add(port);
		return port;
	}
	throw new Error(`No free port was found on ${HOST} between ${PORT_MIN} and ${PORT_MAX}`);
}

/** Refuses to start on a taken port, before anything else has been started. */
export async function requireFree(port: number, purpose: string, command: string): Promise<void> {
	if (!Number.isInteger(port) || port < 1 || port > 65_535)
		throw new Error(`\`${command}\` takes a port number from 1 to 65535.`);
	if (await isFree(port)) return;
	throw new Error(
		`Port ${port} on ${HOST}, meant for ${purpose}, is already taken.\n` +
			`Stop the program that uses it (\`ss -ltnp 'sport = :${port}'\` names it), or choose another port:\n` +
			`  ${command} ${port + 1}`,
	);
}

async function isFree(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const server = createServer().once('error', () => resolve(false));
		server.listen(port, HOST, () => server.close(() => resolve(true)));
	});
}
