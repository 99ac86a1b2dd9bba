/** The network between a host and a broker: a TCP relay that can be cut. */
import { connect, createServer, type Socket } from 'node:net';
import { openPort } from '../../support/loopback';
import { HOST } from '../../../scripts/hosts/ports';

export interface Link {
	port: number;
	/** Ends every connection and accepts none. */
	cut: () => void;
	mend: () => void;
	close: () => Promise<void>;
}

/** `reads` makes, for each connection, what is told all that the target sends. */
export async function openLink(target: number, reads: () => (chunk: Buffer) => void): Promise<Link> {
	const sockets = new Set<Socket>();
	let isCut = false;
	const server = createServer((near) => {
		if (isCut) return near.destroy();
		const far = connect(target, HOST);
		// A target that is away has to look refused. From a plain end, MQTT's client tries again for ever in silence.
		const end = (): void => {
			if (far.connecting || far.errored) near.resetAndDestroy();
			for (const socket of [near, far]) {
				socket.destroy();
				sockets.delete(socket);
			}
		};
		for (const socket of [near, far]) {
			sockets.add(socket);
			socket.on('error', end).on('close', end);
		}
		near.pipe(far).on('data', reads()).pipe(near);
	});
	const port = await openPort(server);
	const cut = (): void => {
		isCut = true;
		sockets.forEach((socket) => socket.destroy());
	};
	return {
		port,
		cut,
		mend: () => void (isCut = false),
		close: async () => {
			cut();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
