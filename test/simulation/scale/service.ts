import type { OpenSocket, SendHttp, SocketHandlers } from '@partner-exchange/core';
import type { CrowdTime } from './crowd-time';
import type { Histogram } from './report';

/** The minimum of the service for many accounts: fills over the stream and the list, and counts of the requests. */
export interface CrowdService {
	openSocket(account: number): OpenSocket;
	send(account: number): SendHttp;
	/** Makes a fill of an account. */
	fill(account: number): void;
	/** Disconnects everyone, and refuses connections until it is over. */
	setOut(isOut: boolean): void;
	connections(): number;
	/** Counts by second of virtual time. */
	reads: Counter;
	connects: Counter;
	frames: Counter;
}

interface Peer {
	handlers: SocketHandlers;
	isOpen: boolean;
	isSubscribed: boolean;
}

interface Fill {
	id: string;
	order_id: string;
	pair_id: string;
	quantity: string;
	price: string;
	created_at: string;
}

const LATENCY_MS = 40;
const PAGE_SIZE = 100;

/** Each account has its own random sequence, so that accounts do not influence each other. */
export function crowdService(time: CrowdTime, chances: readonly (() => number)[]): CrowdService {
	const peers = new Map<number, Set<Peer>>();
	const fills = new Map<number, Fill[]>();
	const [reads, connects, frames] = [counter(time), counter(time), counter(time)];
	let isOut = false;
	let open = 0;
	const later = (account: number, action: () => void): void =>
		void time.after(LATENCY_MS * (0.5 + chances[account]!()), action);

	function close(account: number, peer: Peer): void {
		if (!peers.get(account)?.delete(peer)) return;
		if (peer.isOpen) open -= 1;
		peer.isOpen = false;
		peer.handlers.closed({});
	}

	function tell(account: number, peer: Peer, message: object): void {
		later(account, () => {
			if (!peer.isOpen || !peers.get(account)?.has(peer)) return;
			frames.count();
			peer.handlers.messages([JSON.stringify(message)]);
		});
	}

	function hear(account: number, peer: Peer, text: string): void {
		const { type, topics } = JSON.parse(text) as { type: string; topics?: string[] };
		if (type === 'ping') return tell(account, peer, { type: 'pong' });
		if (type !== 'subscribe') return;
		peer.isSubscribed = true;
		tell(account, peer, { type: 'subscribed', topics });
	}

	return {
		reads,
		connects,
		frames,
		connections: () => open,
		openSocket: (account) => (_url, handlers) => {
			const peer: Peer = { handlers, isOpen: false, isSubscribed: false };
			peers.set(account, (peers.get(account) ?? new Set()).add(peer));
			connects.count();
			later(account, () => {
				if (isOut) return close(account, peer);
				if (!peers.get(account)!.has(peer)) return;
				peer.isOpen = true;
				open += 1;
				handlers.opened();
			});
			return {
				send: (text) => later(account, () => peer.isOpen && hear(account, peer, text)),
				terminate: () => {
					if (peers.get(account)!.delete(peer) && peer.isOpen) open -= 1;
				},
			};
		},
		send: (account) => async (request) => {
			reads.count();
			await new Promise<void>((resolve) => later(account, resolve));
			const { pathname, searchParams } = new URL(request.url);
			if (isOut) return { status: 503, headers: {}, body: '{}' };
			const offset = Number(searchParams.get('offset') ?? 0);
			const page = pathname.endsWith('/fills') ? (fills.get(account) ?? []).slice(offset, offset + PAGE_SIZE) : [];
			return { status: 200, headers: {}, body: JSON.stringify({ status: 'success', data: { fills: page } }) };
		},
		fill: (account) => {
			const earlier = fills.get(account) ?? [];
			fills.set(account, earlier);
			const created_at = new Date(time.now()).toISOString();
			const id = `fill-${account}-${earlier.length + 1}`;
			earlier.unshift({
				id,
				order_id: `order-${id}`,
				pair_id: 'USD/NGN',
				quantity: '1.00',
				price: '1500.00',
				created_at,
			});
			const message = {
				type: 'data',
				topic: 'user.fills',
				seq: earlier.length,
				epoch: 'one',
				ts: created_at,
				data: earlier[0],
			};
			for (const peer of peers.get(account) ?? []) if (peer.isSubscribed) tell(account, peer, message);
		},
		setOut: (next) => {
			isOut = next;
			if (isOut) for (const [account, all] of peers) for (const peer of [...all]) close(account, peer);
		},
	};
}

interface Counter {
	count(): void;
	/** Since the previous call. */
	take(): Histogram;
}

function counter(time: CrowdTime): Counter {
	let seconds: Histogram = {};
	return {
		count: () => {
			const second = Math.floor(time.now() / 1_000);
			seconds[second] = (seconds[second] ?? 0) + 1;
		},
		take: () => {
			const deliveries = seconds;
			seconds = {};
			return deliveries;
		},
	};
}
