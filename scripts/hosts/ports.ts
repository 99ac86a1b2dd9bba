/** Ports on the loopback interface: finds a free one, or explains that a port is taken. */
import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:net';

export const HOST = '127.0.0.1';

// Below the range of ephemeral ports, so that no outgoing connection takes the port before a host listens.
const PORT_MIN = 20_000;
const PORT_MAX = 32_000;
/**
 * To reserve a port, a process listens on the port this much lower, where other processes that look for a port see it.
 */
const CLAIM_OFFSET = 12_000;
const ATTEMPTS_MAX = 100;

/** A free port, reserved while this process lives. */
export async function freePort(): Promise<number> {
	for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
		const port = randomInt(PORT_MIN, PORT_MAX);
		const claim = await listen(port - CLAIM_OFFSET);
		if (claim && (await isFree(port))) return port;
		claim?.close();
	}
	throw new Error(`No free port was found on ${HOST} between ${PORT_MIN} and ${PORT_MAX}`);
}

/** A port that something is to listen on. */
export interface WantedPort {
	port: number;
	purpose: string;
	/** The command with the flag that chooses another port. */
	command: string;
}

/** Throws if any of the ports is taken, and names all that are; called before anything is started. */
export async function requireFree(wanted: readonly WantedPort[]): Promise<void> {
	for (const { port, command } of wanted) {
		if (!Number.isInteger(port) || port < 1 || port > 65_535)
			throw new Error(`\`${command}\` takes a port number from 1 to 65535.`);
	}
	const problems = await Promise.all(wanted.map(async (port) => ((await isFree(port.port)) ? [] : [takenText(port)])));
	if (problems.flat().length > 0) throw new Error(problems.flat().join('\n\n'));
}

const takenText = ({ port, purpose, command }: WantedPort): string =>
	`Port ${port} on ${HOST}, meant for ${purpose}, is already taken.\n` +
	`Stop the program that uses it (\`ss -ltnp 'sport = :${port}'\` names it), or choose another port:\n` +
	`  ${command} ${port + 1}`;

async function isFree(port: number): Promise<boolean> {
	const server = await listen(port);
	await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
	return server !== undefined;
}

/** Listens on a port without keeping the process alive; undefined if the port is taken. */
async function listen(port: number): Promise<Server | undefined> {
	return await new Promise((resolve) => {
		const server = createServer().once('error', () => resolve(undefined));
		server.listen(port, HOST, () => resolve(server.unref()));
	});
}
