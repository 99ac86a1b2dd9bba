import {
	createClient,
	createStream,
	type HttpRequest,
	type HttpResponse,
	type OpenSocket,
} from '@partner-exchange/core';
import { createPaces } from '@partner-exchange/core/testing';
import { random } from '../../simulation/support/random';
import { virtualTime } from '../../simulation/support/time';
import { ACCOUNT, openStage, trade } from './stage';

const SECOND_MS = 1_000;
const PAIRS = Array.from({ length: 200 }, (_, index) => `P${index}`);

/** A service of 200 pairs that allows this many requests per second, and confirms subscriptions. */
function openBusyService(perSecond: number) {
	const time = virtualTime();
	const chance = random(1);
	const answered: number[] = [];
	const ends: (() => void)[] = [];
	let [refused, highest] = [0, 1];

	const send = async ({ url }: HttpRequest): Promise<HttpResponse> => {
		if (answered.filter((at) => at > time.now() - SECOND_MS).length >= perSecond) {
			refused += 1;
			return { status: 429, headers: { 'retry-after': '1' }, body: '' };
		}
		answered.push(time.now());
		const after = Number(/after_sequence=(\d+)/.exec(url)?.[1] ?? 0);
		const rows = url.includes('/trades')
			? Array.from({ length: Math.max(0, highest - after) }, (_, index) => trade(after + index + 1))
			: PAIRS.map((pair_id) => ({ pair_id }));
		return { status: 200, headers: {}, body: JSON.stringify({ status: 'success', data: rows }) };
	};
	const openSocket: OpenSocket = (_, { opened, messages, closed }) => {
		time.after(1, opened);
		ends.push(() => closed({}));
		return {
			send: (text) => {
				const { type, topics } = JSON.parse(text) as { type: string; topics?: string[] };
				if (type === 'ping') time.after(1, () => messages(['{"type":"pong"}']));
				if (topics) time.after(1, () => messages([JSON.stringify({ type: 'subscribed', topics })]));
			},
			terminate: () => undefined,
		};
	};
	const ports = { clock: time, random: chance.next, newId: chance.uuid };
	const client = createClient(ACCOUNT, { ...ports, send: createPaces(time)(ACCOUNT).send(send, 'first') });
	const stream = createStream({ ...ports, account: client.account, client, openSocket });
	return {
		time,
		stream,
		answered,
		refused: () => refused,
		trade: () => void (highest += 1),
		breakAll: () => ends.splice(0).forEach((end) => end()),
	};
}

describe('what may be read at once', () => {
	it('shares the budget of reads among 200 topics, and has the last one in step within a bound', async () => {
		const service = openBusyService(10);
		const reports = new Map<string, number>();
		for (const pair of PAIRS)
			service.stream.subscribe({
				topics: [`trades.${pair}`],
				retriesFirstConnection: true,
				deliver: async (events) => void reports.set(pair, (reports.get(pair) ?? 0) + events.length),
			});
		await service.time.run(service.time.now() + 300 * SECOND_MS);
		expect(reports.size).toBe(0);
		const [before, refused] = [service.answered.length, service.refused()];
		service.trade();
		service.breakAll();
		await service.time.run(service.time.now() + 120 * SECOND_MS);
		expect([...reports.values()]).toEqual(PAIRS.map(() => 1));
		const requestCount = service.answered.length - before;
		expect((service.refused() - refused) / requestCount).toBeLessThan(0.2);
	});

	it('reads no more for 40 subscribers whose confirmations list every active topic', async () => {
		const active: string[] = [];
		const stage = openStage({
			confirms: (topics) => {
				active.push(...topics);
				return { topics: [...new Set(active)] };
			},
		});
		for (let index = 0; index < 40; index += 1) {
			stage.consume({ topics: [`trades.P${index}`], retriesFirstConnection: true });
			await stage.pass(250);
		}
		await stage.pass(20 * SECOND_MS);
		// A first backfill, and those at once, after 5 and after 20 seconds, two of which look for the newest row.
		expect(stage.reads.filter((id) => id === 'market.trades').length).toBeLessThanOrEqual(40 * 7);
	});
});
