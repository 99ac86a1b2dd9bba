import { ExchangeError, type HttpResponse, type Item, type SendHttp } from '@partner-exchange/core';
import { createRateLimiters } from '@partner-exchange/core/testing';
import { ACCOUNT, data, fill, openStage, order, trade } from './stage';

const SECOND_MS = 1_000;
const PER_SECOND = 10;
const PUBLIC_TOPICS = 198;
const PRIVATE = ['user.orders', 'user.fills'];
const pairOf = (index: number): string => `A${index}_B`;

/** A service that answers ten reads a second, behind the pace that all requests of an account share. */
function openLimited() {
	const stage = openStage();
	const { time } = stage;
	let allowed = Number.POSITIVE_INFINITY;
	let sent: number[] = [];
	const send: SendHttp = async (): Promise<HttpResponse> => {
		sent = sent.filter((at) => at > time.now() - SECOND_MS);
		if (sent.length >= allowed) return { status: 429, headers: { 'retry-after': '1' }, body: '' };
		sent.push(time.now());
		return { status: 200, headers: {}, body: '' };
	};
	const paced = createRateLimiters(time)(ACCOUNT).send(send, 'first');
	const { page } = stage.client;
	stage.client.page = async (id, input, options) => {
		const request = { method: 'GET', url: id, headers: {}, timeoutMs: 15_000, signal: options?.signal };
		if ((await paced(request)).status === 429) throw new ExchangeError('rate_limited', { what: 'Too many requests' });
		const listed = id === 'market.trades' ? String(input.pair_id) : id;
		const rows = (stage.lists[listed] ?? []).filter(
			({ sequence }) => input.after_sequence === undefined || Number(sequence) > Number(input.after_sequence),
		);
		return id === 'market.trades' ? rows : page(id, input);
	};
	return { ...stage, limit: () => void (allowed = PER_SECOND) };
}

/** Two hundred topics that miss one event each while the connection is gone. */
async function openOutage() {
	const stage = openLimited();
	// The private ones subscribe last, and so would be read last in order of arrival.
	const topics = [...Array.from({ length: PUBLIC_TOPICS }, (_, index) => `trades.${pairOf(index)}`), ...PRIVATE];
	const seen = topics.map((topic) => ({ topic, ...stage.consume({ topics: [topic], retriesFirstConnection: true }) }));
	await stage.pass(60 * SECOND_MS);
	const at = () => new Date(stage.time.now()).toISOString();
	const rowOf = (topic: string, number: number): Item => {
		if (topic === 'user.fills') return { ...fill(`f${number}`), created_at: at() };
		if (topic === 'user.orders') return order(`o${number}`, 'filled', '30', { created_at: at() });
		return { ...trade(number), id: `${topic}-${number}` };
	};
	const listOf = (topic: string): string => {
		if (topic === 'user.fills') return 'fill.list';
		if (topic === 'user.orders') return 'order.list';
		return topic.slice('trades.'.length).replaceAll('_', '/');
	};
	const make = (topic: string, number: number): Item => {
		const row = rowOf(topic, number);
		(stage.lists[listOf(topic)] ??= []).unshift(row);
		return row;
	};
	for (const topic of topics) {
		const row = make(topic, 1);
		for (const socket of stage.sockets) if (socket.isOpen) socket.say(data(topic, 1, row));
	}
	await stage.pass(60 * SECOND_MS);
	for (const socket of stage.sockets) socket.close();
	for (const topic of topics) make(topic, 2);
	stage.limit();
	return { ...stage, seen };
}

describe('two hundred topics that come back where ten reads a second are allowed', () => {
	it('reads private topics first and then those most behind, and the status shows the queue', async () => {
		const { seen, pass, stream } = await openOutage();
		const backAt = new Map<string, number>();
		const before = new Map(seen.map(({ topic, events }) => [topic, events.length]));
		let most = 0;
		const places = new Set<number>();
		for (let seconds = 0; seconds < 300 && backAt.size < seen.length; seconds += 1) {
			await pass(SECOND_MS);
			const { totals, topics } = stream.status();
			most = Math.max(most, totals.reads_waiting);
			for (const { readings } of topics) if (readings.place !== null) places.add(readings.place);
			for (const { topic, events } of seen)
				if (events.length > before.get(topic)! && !backAt.has(topic)) backAt.set(topic, seconds + 1);
		}
		const publicTimes = seen.filter(({ topic }) => !PRIVATE.includes(topic)).map(({ topic }) => backAt.get(topic)!);
		const half = publicTimes.toSorted((a, b) => a - b)[PUBLIC_TOPICS / 2]!;
		for (const topic of PRIVATE) expect(backAt.get(topic)).toBeLessThan(half);
		// Two reads for each and one more once lists have caught up, and half as much again for what the pace gives away.
		expect(Math.max(...publicTimes)).toBeLessThan((1.5 * 3 * seen.length) / PER_SECOND);
		expect(most).toBeGreaterThan(PUBLIC_TOPICS / 2);
		expect([...places].toSorted((a, b) => a - b).slice(0, 3)).toEqual([1, 2, 3]);
	});
});
