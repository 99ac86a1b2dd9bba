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
	/** The flag that chooses another port, without its dashes. */
	flag: string;
}

/** Throws if any of the ports is taken, and names all that are; called before anything is started. */
export async function requireFree(command: string, wanted: readonly WantedPort[]): Promise<void> {
	for (const { port, flag } of wanted) {
		if (!Number.isInteger(port) || port < 1 || port > 65_535)
			throw new Error(`\`${command} -- --${flag}\` takes a port number from 1 to 65535.`);
	}
	const areFree = await Promise.all(wanted.map(({ port }) => isFree(port)));
	const ports = wanted.filter((_, index) => !areFree[index]);
	if (ports.length > 0) throw new Error(takenText(command, ports));
}

const takenText = (command: string, ports: readonly WantedPort[]): string =>
	[
		...ports.map(({ port, purpose }) => `Port ${port} on ${HOST}, meant for ${purpose}, is already taken.`),
		`Stop what uses ${ports.length > 1 ? 'them' : 'it'} (\`ss -ltnp\` names the program of each port), or choose others:`,
		`  ${command} -- ${ports.map(({ port, flag }) => `--${flag} ${port + 1}`).join(' ')}`,
	].join('\n');

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
