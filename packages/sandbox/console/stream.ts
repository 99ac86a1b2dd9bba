/** The public stream, as any client sees it: subscribe with snapshots, drop what arrived twice, reconnect when it is lost. (Interface, part 6.) */
const firstPauseMs = 500;
const pauseMsMax = 8_000;
const pingMs = 10_000;
/** Without any frame for this long the connection counts as dead. */
const silenceMs = 25_000;

export interface StreamOptions {
	topics: readonly string[];
	snapshot: (topic: string, data: unknown) => void;
	update: (topic: string, data: unknown) => void;
	state: (state: 'open' | 'lost', retryMs: number) => void;
}

export interface Stream {
	/** Asks for new snapshots of every topic. */
	refresh: () => void;
}

interface Frame {
	type?: string;
	topic?: string;
	seq?: number;
	epoch?: unknown;
	data?: unknown;
	snapshots?: Record<string, unknown>;
}

export function followStream(options: StreamOptions): Stream {
	let failures = 0;
	let subscribe = () => {};
	const connect = () => {
		const socket = new WebSocket(`ws://${location.host}/v1/ws`);
		subscribe = () => {
			if (socket.readyState !== WebSocket.OPEN) return;
			socket.send(JSON.stringify({ type: 'subscribe', topics: options.topics, snapshot: true }));
		};
		const take = reader(options, () => subscribe());
		let heardAt = performance.now();
		const pulse = setInterval(() => {
			if (performance.now() - heardAt > silenceMs) return socket.close();
			if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'ping' }));
		}, pingMs);
		socket.addEventListener('open', () => subscribe());
		socket.addEventListener('message', (message) => {
			heardAt = performance.now();
			const frame = read(String(message.data));
			if (frame.type === 'subscribed') {
				failures = 0;
				options.state('open', 0);
			}
			if (frame.type === 'error') socket.close();
			take(frame);
		});
		socket.addEventListener('close', () => {
			clearInterval(pulse);
			// Half of the pause is drawn, so that many open pages do not return in the same instant.
			const pause = Math.min(firstPauseMs * 2 ** failures++, pauseMsMax) * (0.5 + Math.random() / 2);
			options.state('lost', pause);
			setTimeout(connect, pause);
		});
	};
	connect();
	return { refresh: () => subscribe() };
}

/** Each connection starts from its own snapshot, so the positions live as long as the connection. */
function reader({ snapshot, update }: StreamOptions, refresh: () => void): (frame: Frame) => void {
	const positions = new Map<string, { epoch: unknown; seq: number }>();
	return (frame) => {
		for (const [topic, data] of Object.entries(frame.snapshots ?? {})) snapshot(topic, data);
		const { topic, seq, epoch } = frame;
		if (frame.type !== 'data' || topic === undefined || seq === undefined) return;
		const last = positions.get(topic);
		if (last && last.epoch === epoch && seq <= last.seq) return;
		positions.set(topic, { epoch, seq });
		// A new epoch may be another exchange altogether, as after a reset.
		if (last && last.epoch !== epoch) return refresh();
		update(topic, frame.data);
	};
}

function read(text: string): Frame {
	try {
		const frame: unknown = JSON.parse(text);
		return typeof frame === 'object' && frame !== null ? frame : {};
	} catch {
		return {};
	}
}
