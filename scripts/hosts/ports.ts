/** Ports on the loopback interface: finding a free one, and naming a taken one with the way out. */
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

export const HOST = '127.0.0.1';

// Below the range from which systems take the ports of outgoing connections, so that none slips in before a host listens.
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;
/** Whoever was given a port holds another one, this much lower, which says so to every process that looks for one. */
const CLAIM_OFFSET = 12_000;
const ATTEMPTS_MAX = 100;

/** A port nobody listens on, and nobody else is given while this process lives. */
export async function freePort(): Promise<number> {
	for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
		const port = randomInt(PORT_MIN, PORT_MAX);
		const claim = await listen(port - CLAIM_OFFSET);
		if (claim && (await isFree(port))) return port;
		claim?.close();
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
	const server = await listen(port);
	await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
	return server !== undefined;
}

/** A server that keeps no process alive, or nothing where somebody listens already. */
async function listen(port: number): Promise<Server | undefined> {
	return await new Promise((resolve) => {
		const server = createServer().once('error', () => resolve(undefined));
		server.listen(port, HOST, () => resolve(server.unref()));
	});
}
