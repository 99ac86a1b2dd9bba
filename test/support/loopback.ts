import type { AddressInfo, Server } from 'node:net';

/** The port of a server, once it listens on this machine alone. */
export async function openPort(server: Server): Promise<number> {
	await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
	return (server.address() as AddressInfo).port;
}
