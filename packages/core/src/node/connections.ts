import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import type { TransportError } from '../ports';
import { transportErrorOf } from '../wire/transport-errors';
import type { Lookup } from './lookup';

/** At most this many to one host; further requests wait for one of them. */
const CONNECTIONS_MAX = 64;
/** A service that says how long it keeps a connection may close it right when a request is on its way. */
const KEPT_LESS_MS = 1_000;

/** Who has a connection, from the first byte of a request to the last one of its answer. */
export interface Holder {
	/** The connection stands. Nothing may be written before. */
	ready(connection: KeptConnection): void;
	/** The next bytes, or undefined where the other side has ended it. */
	came(bytes: Buffer | undefined): void;
	/** Nothing more comes. */
	closed(reason: TransportError['reason']): void;
}

export interface KeptConnection {
	socket: Socket;
	holder: Holder | undefined;
	/** On the clock of `performance.now`. */
	keptUntil: number;
}

/** The kept connections to one host. None keeps a process running: the time limit of a call does, as long as it lasts. */
export interface Connections {
	take(holder: Holder): void;
	/** Hands a connection on whose answer is complete. `keepAlive` is what the service said of it. */
	giveBack(connection: KeptConnection, keepAlive: string | undefined): void;
	/** For a holder whose call has ended in another way: it waits no longer, and its connection is closed. */
	leave(holder: Holder): void;
}

export function createConnections(open: () => Socket): Connections {
	const all = new Set<KeptConnection>();
	const idle: KeptConnection[] = [];
	const waiting = new Set<Holder>();

	function connect(holder: Holder): void {
		const socket = open();
		const connection: KeptConnection = { socket, holder, keptUntil: Number.POSITIVE_INFINITY };
		let cause: unknown;
		const forget = (): void => {
			const at = idle.indexOf(connection);
			if (at >= 0) idle.splice(at, 1);
		};
		all.add(connection);
		socket.unref();
		socket.on(socket instanceof tls.TLSSocket ? 'secureConnect' : 'connect', () =>
			connection.holder?.ready(connection),
		);
		socket.on('data', (bytes: Buffer) => {
			// Nobody asked for it, so it would be taken for the answer to the next request.
			if (connection.holder === undefined) socket.destroy();
			else connection.holder.came(bytes);
		});
		socket.on('end', () => {
			forget();
			connection.holder?.came(undefined);
		});
		socket.on('error', (error) => (cause = error));
		socket.on('close', () => {
			forget();
			all.delete(connection);
			connection.holder?.closed(transportErrorOf({ cause, request: { socket } }).reason);
			const [next] = waiting;
			if (next && waiting.delete(next)) connect(next);
		});
	}

	function give(connection: KeptConnection, holder: Holder): void {
		connection.holder = holder;
		holder.ready(connection);
	}

	return {
		take: (holder) => {
			for (let last = idle.pop(); last; last = idle.pop()) {
				if (!last.socket.destroyed && performance.now() < last.keptUntil) return give(last, holder);
				last.socket.destroy();
			}
			if (all.size < CONNECTIONS_MAX) connect(holder);
			else waiting.add(holder);
		},
		giveBack: (connection, keepAlive) => {
			connection.holder = undefined;
			const [, seconds] = /timeout=(\d+)/i.exec(keepAlive ?? '') ?? [];
			if (seconds !== undefined) connection.keptUntil = performance.now() + Number(seconds) * 1_000 - KEPT_LESS_MS;
			const [next] = waiting;
			if (next && waiting.delete(next)) give(connection, next);
			else idle.push(connection);
		},
		leave: (holder) => {
			waiting.delete(holder);
			for (const connection of all) {
				if (connection.holder !== holder) continue;
				connection.holder = undefined;
				connection.socket.destroy();
			}
		},
	};
}

/** How a host is reached. Certificates are checked whatever the environment says; no byte goes before that. */
export function openerTo({ protocol, hostname, port }: URL, lookup: Lookup): () => Socket {
	// The brackets of an IPv6 address are URL syntax and no part of the host name.
	const host = hostname.replace(/^\[|\]$/g, '');
	const isSecure = protocol === 'https:';
	const to = { host, port: Number(port || (isSecure ? 443 : 80)), lookup, noDelay: true, keepAlive: true };
	if (!isSecure) return () => net.connect(to);
	const name = net.isIP(host) === 0 ? { servername: host } : {};
	let session: Buffer | undefined;
	return () =>
		tls
			.connect({ ...to, ...name, session, rejectUnauthorized: true, ALPNProtocols: ['http/1.1'] })
			.on('session', (given: Buffer) => (session = given));
}
