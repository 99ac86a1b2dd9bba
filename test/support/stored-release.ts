/**
 * What a packed release stored, and the service it stored it of. `npm run stored` writes the fixtures of
 * `test/fixtures/stored`: the tests that continue from them then play the release first.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { WebSocketServer, type WebSocket } from 'ws';

type Row = Record<string, unknown>;

/** Literal rows, as the service shows them before and after the stop. */
interface World {
	fills: Row[];
	transactions: Row[];
	missed: { fill: Row; transaction: Row; later: Row };
}

interface Fixture extends World {
	stored: Record<string, unknown>;
}

const FOLDER = join(__dirname, '..', 'fixtures', 'stored');

/** The folder with the unpacked release whose fixtures are to be written. */
export const release = process.env['STORED_BY'];

export const fixtureOf = (host: string): Fixture =>
	JSON.parse(readFileSync(join(FOLDER, `${host}.json`), 'utf8')) as Fixture;

export const writeFixture = (host: string, fixture: Fixture): void =>
	writeFileSync(join(FOLDER, `${host}.json`), `${JSON.stringify(fixture, undefined, '\t')}\n`);

/** A wallet and an account of which two fills and two transactions are known, beside what comes later. */
export function newWorld(): World {
	const began = Date.now();
	const at = (minute: number): string => new Date(began + minute * 60_000).toISOString();
	const fill = (id: string, minute: number): Row => ({
		...{ id, order_id: `order of ${id}`, pair_id: 'USD/NGN', side: 'buy', price: '1500.00', quantity: '1.00' },
		created_at: at(minute),
	});
	const transaction = (id: string, minute: number, status = 'completed'): Row => ({
		...{ id, status, currency: 'NGN', rail: 'bank', amount: '1.00', created_at: at(minute) },
	});
	return {
		fills: [fill('told', 0), fill('old', -5)],
		transactions: [transaction('pending', -1, 'pending'), transaction('old', -5)],
		missed: { fill: fill('missed', 5), transaction: transaction('missed', 5), later: fill('later', 6) },
	};
}

export type Service = Awaited<ReturnType<typeof startService>>;

/** A service at a port of its own, because the address is part of what is stored. */
export async function startService(port: number, world: World) {
	const lists = { fills: [...world.fills.slice(1)], transactions: [...world.transactions] };
	const sockets = new Set<WebSocket>();
	const http = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url!, 'http://service');
		const [from, count] = [Number(searchParams.get('offset') ?? 0), Number(searchParams.get('limit') ?? 100)];
		const name = pathname.endsWith('/fills')
			? 'fills'
			: pathname.endsWith('/transactions')
				? 'transactions'
				: undefined;
		const one = lists.transactions.find(({ id }) => pathname.endsWith(`/transactions/${String(id)}`));
		if (name) reply(response, { [name]: lists[name].slice(from, from + count) });
		else if (pathname.endsWith('/deposit-account')) reply(response, { account_name: 'A', account_number: '1' });
		else if (one) reply(response, one);
		else reply(response, undefined);
	});
	const stream = new WebSocketServer({ server: http });
	stream.on('connection', (socket) => {
		sockets.add(socket);
		socket.on('message', (text: Buffer) => {
			const { type, topics } = JSON.parse(String(text)) as { type: string; topics: string[] };
			if (type === 'ping') socket.send('{"type":"pong"}');
			if (type === 'subscribe') socket.send(JSON.stringify({ type: 'subscribed', topics, positions: {} }));
		});
	});
	await new Promise<void>((ready) => http.listen(port, '127.0.0.1', ready));
	let seq = 40;
	return {
		...{ baseUrl: `http://127.0.0.1:${port}/v1`, wsUrl: `ws://127.0.0.1:${port}/v1/ws` },
		lists,
		/** A fill happens: it is in the list, and everybody who listens gets it. */
		fill: (data: Row): void => {
			lists.fills.unshift(data);
			const heard = { type: 'data', topic: 'user.fills', seq: (seq += 1), epoch: 'e1', ts: data['created_at'], data };
			for (const socket of sockets) socket.send(JSON.stringify(heard));
		},
		close: async () => {
			for (const socket of sockets) socket.terminate();
			stream.close();
			http.closeAllConnections();
			await new Promise((closed) => http.close(closed));
		},
	};
}

/** What is in the lists when a host has come back: what was told, and what it missed. */
export function goOn({ lists }: Service, { fills, missed }: World): void {
	lists.fills = [missed.fill, ...fills];
	lists.transactions = [
		missed.transaction,
		...lists.transactions.map((row) => (row['id'] === 'pending' ? { ...row, status: 'completed' } : row)),
	];
}

function reply(response: ServerResponse, data: unknown): void {
	response.writeHead(data === undefined ? 404 : 200, { 'content-type': 'application/json' });
	response.end(JSON.stringify(data === undefined ? { message: 'no such route' } : { status: 'success', data }));
}
