import { ExchangeError, type Item, type StoredCheckpoint } from '@partner-exchange/core';
import { STATUS_PAGES_MAX } from '../../../packages/core/src/stream/limits';
import { data, fill, openStage, order, trade } from './stage';

const SECOND_MS = 1_000;

const MINUTE_MS = 60 * SECOND_MS;

const TRADES = { topics: ['trades.USD_NGN'], batchMax: 1_000 };
const FILLS = { topics: ['user.fills'], batchMax: 1_000 };

/** One fill per second until now, oldest first. */
const fillsUntil = (now: number, count: number): Item[] =>
	Array.from({ length: count }, (_, index) => ({
		...fill(`f${index}`),
		created_at: new Date(now - (count - index) * SECOND_MS).toISOString(),
	}));

describe('a first start', () => {
	it('a first start that fails stores nothing it read, so that the next one delivers nothing old', async () => {
		const stage = openStage();
		stage.faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		const { page } = stage.client;
		stage.client.page = async (id, input) => {
			await new Promise<void>((resolve) => stage.time.after((id === 'fill.list' ? 20 : 2) * SECOND_MS, resolve));
			return page(id, input);
		};
		stage.lists['order.list'] = fillsUntil(stage.time.now(), 8).map(({ id, created_at }) =>
			order(String(id), 'accepted', '0', { created_at }),
		);
		const topics = ['user.orders', 'user.fills'];
		const first = stage.consume({ topics });
		const refused = expect(first.subscription.ready).rejects.toThrow('The service failed');
		await stage.pass(SECOND_MS);
		stage.sockets[0]!.say(data('user.orders', 1, order('new', 'accepted')));
		await stage.pass(MINUTE_MS);
		await refused;
		stage.faults['fill.list'] = undefined;
		const second = stage.consume({ topics, checkpoint: first.positions });
		await stage.pass(2 * MINUTE_MS);
		expect(second.keys()).toEqual([]);
	});

	it('a first start delivers nothing of a busy list that its first read did not go down to', async () => {
		const stage = openStage();
		const newest = stage.time.now() - 10 * SECOND_MS;
		stage.lists['fill.list'] = Array.from({ length: 1_500 }, (_, index) => ({
			...fill(`f${index}`),
			created_at: new Date(newest - index).toISOString(),
		}));
		const seen = stage.consume(FILLS);
		await seen.subscription.ready;
		await stage.pass(2 * MINUTE_MS);
		expect(seen.keys()).toEqual([]);
	});

	it('a first start beside a consumer that comes back takes none of the trades from it that it missed', async () => {
		const numbered = (count: number): Item[] =>
			Array.from({ length: count }, (_, index) => ({ ...trade(index + 1), sequence: index + 1 }));
		const before = openStage();
		before.lists['market.trades'] = numbered(5);
		const left = before.consume(TRADES);
		await left.subscription.ready;
		before.sockets[0]!.say(data('trades.USD_NGN', 6, { ...trade(6), sequence: 6 }));
		await before.pass(MINUTE_MS);
		expect(left.keys()).toHaveLength(1);

		const stage = openStage({ pageMax: 100 });
		stage.lists['market.trades'] = numbered(250);
		stage.faults['market.trades'] = new ExchangeError('unavailable', { what: 'The service failed' });
		const back = stage.consume({ ...TRADES, checkpoint: left.positions });
		const first = stage.consume({ ...TRADES, retriesFirstConnection: true });
		await stage.pass(MINUTE_MS);
		stage.faults['market.trades'] = undefined;
		await stage.pass(2 * MINUTE_MS);
		expect(back.keys()).toHaveLength(244);
		expect(first.keys()).toEqual([]);
	});

	it('one that continues delivers all that happened since, although it joined in the middle of the read of another', async () => {
		const stage = openStage({ pageMax: 100 });
		stage.faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		const before = stage.consume({ ...FILLS, retriesFirstConnection: true });
		await stage.pass(MINUTE_MS);
		await before.subscription.close();
		stage.faults['fill.list'] = undefined;
		const old = { ...fill('old'), created_at: new Date(stage.time.now() - 2 * MINUTE_MS).toISOString() };
		const missed = fillsUntil(stage.time.now(), 30).flatMap((row) =>
			Array.from({ length: 60 }, (_, index) => ({ ...row, id: `${String(row.id)}-${index}` })),
		);
		stage.lists['fill.list'] = [...missed.toReversed(), old];
		const next = { ...FILLS, checkpoint: before.positions };
		const first = stage.consume(next);
		// It read ten pages by then, and goes on in half a second.
		await stage.pass(100);
		const second = stage.consume(next);
		await stage.pass(2 * MINUTE_MS);
		for (const seen of [first, second]) expect(new Set(seen.keys()).size).toBe(missed.length);
	});

	it('a first start tells old from new although the process dies before events are acknowledged', async () => {
		const stage = openStage();
		stage.lists['fill.list'] = fillsUntil(stage.time.now(), 300).toReversed();
		const seen = stage.consume({ ...FILLS, retriesFirstConnection: true, deliver: () => new Promise(() => undefined) });
		stage.faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		await stage.pass(SECOND_MS);
		const came = { ...fill('new'), created_at: new Date(stage.time.now()).toISOString() };
		stage.sockets[0]!.say(data('user.fills', 1, came));
		stage.faults['fill.list'] = undefined;
		stage.lists['fill.list'].unshift(came);
		await stage.pass(2 * MINUTE_MS);
		const restarted = stage.consume({ ...FILLS, checkpoint: seen.positions });
		await stage.pass(2 * MINUTE_MS);
		expect(seen.positions).toBeDefined();
		expect(restarted.keys()).toEqual(['fill:new:order-1']);
	});

	describe('whose key may not read, and whose process dies before it may', () => {
		const REFUSED = new ExchangeError('forbidden', { what: 'The key may not do this' });
		const SINCE_MS = 10 * SECOND_MS;

		/**
		 * A first run on a list that may be unreadable, during which something is delivered live; then the process dies.
		 */
		async function firstLife(topic: string, list: string, heard: (at: string) => Item) {
			const stage = openStage();
			const at = (ms: number) => new Date(stage.time.now() + ms).toISOString();
			stage.faults[list] = REFUSED;
			const first = stage.consume({ topics: [topic], batchMax: 1_000 });
			await stage.pass(SINCE_MS);
			await first.subscription.ready;
			const live = heard(at(0));
			stage.sockets[0]!.say({ ...data(topic, 1, live), ts: at(0) });
			await stage.pass(SECOND_MS);
			// A dead process sends nothing more.
			const stored = first.positions;
			await first.subscription.close();
			await stage.pass(MINUTE_MS);
			stage.faults[list] = undefined;
			return { stage, at, first, live, stored };
		}

		it('a first start whose key may not read delivers at the next start the fills since, none older and none twice', async () => {
			const timed = (id: string, created_at: string): Item => ({ ...fill(id), created_at });
			const { stage, at, first, live, stored } = await firstLife('user.fills', 'fill.list', (now) =>
				timed('heard', now),
			);
			const away = timed('missed', at(-MINUTE_MS / 2));
			stage.lists['fill.list'] = [away, live, ...fillsUntil(stage.time.now() - 2 * MINUTE_MS, 80).toReversed()];
			const second = stage.consume({ ...FILLS, checkpoint: stored });
			await stage.pass(2 * MINUTE_MS);
			expect(first.keys()).toEqual(['fill:heard:order-1']);
			expect(second.keys()).toEqual(['fill:missed:order-1']);
		});

		it.each([10, 500])(
			'a first start whose key may not read delivers at the next start the public trades since that fit a page, and a gap for the rest, at %s on a page',
			async (pageMax) => {
				const before = 300;
				const missed = 40;
				const stage = openStage({ pageMax });
				const timed = (sequence: number, ms: number): Item => ({
					...trade(sequence),
					created_at: new Date(stage.time.now() + ms).toISOString(),
				});
				stage.lists['market.list'] = [{ id: 'USD/NGN', pair_id: 'USD/NGN' }];
				const rows = Array.from({ length: before }, (_, index) => timed(index + 1, (index - before) * SECOND_MS));
				stage.faults['market.trades'] = REFUSED;
				const topics = ['trades.USD_NGN'];
				const first = stage.consume({ topics });
				await stage.pass(SINCE_MS);
				rows.push(...Array.from({ length: missed }, (_, index) => timed(before + index + 1, index)));
				const ts = new Date(stage.time.now()).toISOString();
				stage.sockets[0]!.say({ ...data(topics[0]!, 1, rows.at(-1)!), ts });
				await stage.pass(SECOND_MS);
				const stored = first.positions;
				await first.subscription.close();
				stage.faults['market.trades'] = undefined;
				stage.lists['market.trades'] = rows;
				const second = stage.consume({ topics, checkpoint: stored });
				await stage.pass(2 * MINUTE_MS);
				const listed = rows.slice(Math.max(before, rows.length - pageMax), -1);
				const gaps = second.keys().filter((key) => key.startsWith('gap:'));
				expect(gaps).toHaveLength(pageMax < missed ? 1 : 0);
				const expected = [...gaps, ...listed.map(({ sequence }) => `trade:trade-${Number(sequence)}`)];
				expect(second.keys().toSorted()).toEqual(expected.toSorted());
			},
		);
	});

	describe('where many orders rest behind newer ones', () => {
		async function begin(fault: (input: Item) => ExchangeError | 'ignored' | undefined, resting = 350, pageMax = 100) {
			const stage = openStage({ pageMax });
			const at = (ms: number) => ({ created_at: new Date(stage.time.now() - ms).toISOString() });
			const rows = [
				...Array.from({ length: 600 }, (_, index) => order(`n${index}`, 'filled', '30', at(index * SECOND_MS))),
				...Array.from({ length: resting }, (_, index) =>
					order(`o${index}`, 'accepted', '0', at(60 * MINUTE_MS + index * SECOND_MS)),
				),
			];
			stage.lists['order.list'] = rows;
			const { page } = stage.client;
			stage.client.page = async (id, input) => {
				const error = fault(input);
				if (error instanceof ExchangeError) throw error;
				return page(id, error === 'ignored' ? { ...input, status: undefined } : input);
			};
			const seen = stage.consume({ topics: ['user.orders'], batchMax: 1_000 });
			let readByStatus = 0;
			const count = () => void (readByStatus = stage.requests.filter(({ status }) => status !== undefined).length);
			const counted = seen.subscription.ready.then(count);
			await stage.pass(20 * SECOND_MS);
			await counted;
			for (const id of ['o99', 'o100', 'o349'])
				stage.lists['order.list'] = stage.lists['order.list'].map((row) =>
					row.id === id ? { ...row, status: 'cancelled' } : row,
				);
			await stage.pass(2 * MINUTE_MS);
			const reportCount = seen.notices.filter(({ text }) => text.includes('Not all older open orders')).length;
			return { keys: seen.keys().toSorted(), readByStatus, reportCount };
		}
		const failure = new ExchangeError('unavailable', { what: 'The service failed' });

		it.each([
			['the service knows no such filter', new ExchangeError('refused', { what: 'It has no such filter' })],
			['reading them goes on failing', failure],
			['the service ignores the filter', 'ignored'],
		] as const)('a first start begins although %s, and says so once', async (_, error) => {
			const outcome = await begin(({ status }) => (status === undefined ? undefined : error));
			expect(outcome).toMatchObject({ keys: [], reportCount: 1 });
		});

		it('a first start reads no more pages of resting orders than its limit, and says so', async () => {
			const { reportCount, readByStatus } = await begin(() => undefined, 1_450, 10);
			expect(reportCount).toBe(1);
			expect(readByStatus).toBeLessThanOrEqual(STATUS_PAGES_MAX);
			expect(readByStatus).toBeGreaterThan(STATUS_PAGES_MAX / 2);
		});
	});
});

const fills = (count: number, at: number) =>
	Array.from({ length: count }, (_, index) => ({
		...fill(`f${count - index}`),
		created_at: new Date(at - index * 60_000).toISOString(),
	}));

describe('an account whose list was empty when its process ended', () => {
	it.each([false, true])(
		'gets all that happened since, however long, a first start beside it: %s',
		async (isBeside) => {
			const stage = openStage({ pageMax: 25 });
			stage.lists['fill.list'] = [];
			const before = stage.consume(FILLS);
			await before.subscription.ready;
			await stage.pass(60_000);
			const stored = JSON.parse(JSON.stringify(before.positions));
			await before.subscription.close();
			await stage.pass(2 * 24 * 3_600_000);

			stage.lists['fill.list'] = fills(600, stage.time.now() - 60_000);
			const fresh = isBeside ? stage.consume(FILLS) : undefined;
			const back = stage.consume({ ...FILLS, checkpoint: stored });
			await stage.pass(60_000);
			expect(new Set(back.keys()).size).toBe(600);
			expect(back.keys()).toHaveLength(600);
			expect(fresh?.keys() ?? []).toEqual([]);
		},
	);
});

describe('a consumer whose first read found an empty list', () => {
	it('gets all that an outage hid, however much, although another one starts before it is read', async () => {
		const stage = openStage({ pageMax: 25 });
		stage.lists['fill.list'] = [];
		const first = stage.consume(FILLS);
		await first.subscription.ready;
		stage.faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		stage.sockets[0]!.close();
		await stage.pass(60_000);
		stage.lists['fill.list'] = fills(600, stage.time.now() - 30_000);
		const fresh = stage.consume({ ...FILLS, retriesFirstConnection: true });
		stage.faults['fill.list'] = undefined;
		await stage.pass(120_000);
		expect(new Set(first.keys()).size).toBe(600);
		expect(first.keys()).toHaveLength(600);
		expect(fresh.keys()).toEqual([]);
	});
});

describe('backfill crowd', () => {
	const FILLS = { topics: ['user.fills'] };

	const SUBSCRIBERS = 20;

	/** As n8n activates a thousand workflows: one after the other, for a minute. */
	const RESTART_MS = 60_000;

	const DOWN_MS = 300_000;

	/** As n8n publishes a thousand workflows on a slow machine. */
	const START_MS = 240_000;

	const NEWCOMERS = 60;

	const OLD_FILLS = 100;

	describe('a crowd that comes back', () => {
		it('serves a crowd that rejoins by few backfills, each subscriber with what it missed and nothing twice', async () => {
			const { stopped, lists } = await run();
			const stage = openStage();
			stage.lists['fill.list'] = lists;
			await stage.pass(2 * DOWN_MS);
			const back = [];
			for (const checkpoint of stopped) {
				back.push(stage.consume({ ...FILLS, checkpoint }));
				await stage.pass(RESTART_MS / SUBSCRIBERS);
				stage.sockets[0]!.say({ type: 'pong' });
			}
			expect(stage.sockets).toHaveLength(1);
			expect(stage.reads.length).toBeLessThanOrEqual(12);
			await stage.pass(20_000);
			const missed = stopped.map((_, index) => keysOf(index + 1));
			expect(back.map(({ keys }) => keys().sort())).toEqual(missed);
		});
	});

	describe('a crowd that starts for the first time', () => {
		it('serves a crowd that starts for the first time by ten backfills, each subscriber with the events since it joined', async () => {
			const stage = openStage();
			const fills: ReturnType<typeof fill>[] = [];
			const make = (): void => {
				const made = { ...fill(nameOf(fills.length)), created_at: new Date(stage.time.now()).toISOString() };
				fills.unshift(made);
				stage.lists['fill.list'] = fills;
				stage.sockets[0]?.say(data('user.fills', fills.length, made));
			};
			// Enough known rows to end a backfill, which reads no further behind them.
			for (let count = 0; count < OLD_FILLS; count += 1) {
				make();
				await stage.pass(DOWN_MS / OLD_FILLS);
			}
			const came = [];
			for (let index = 0; index < NEWCOMERS; index += 1) {
				const newcomer = stage.consume(FILLS);
				await newcomer.subscription.ready;
				came.push({ newcomer, missed: fills.length });
				await stage.pass(START_MS / NEWCOMERS);
				if (index % 10 === 9) make();
			}
			expect(stage.reads.length).toBeLessThanOrEqual(10);
			// Backfills continue afterwards, and none of them delivers older events to anyone.
			await stage.pass(120_000);
			expect(came.map(({ newcomer }) => newcomer.keys().length)).toEqual(
				came.map(({ missed }) => fills.length - missed),
			);
		});
	});

	/** Subscribers that stop after one more fill each, and one fill that arrives when all are gone. */
	async function run() {
		const stage = openStage();
		const all = Array.from({ length: SUBSCRIBERS }, () => stage.consume(FILLS));
		await Promise.all(all.map(({ subscription }) => subscription.ready));
		const lists: ReturnType<typeof fill>[] = [];
		const stopped: StoredCheckpoint[] = [];
		for (let index = 0; index <= SUBSCRIBERS; index += 1) {
			const made = { ...fill(nameOf(index)), created_at: new Date(stage.time.now()).toISOString() };
			lists.unshift(made);
			stage.lists['fill.list'] = lists;
			stage.sockets[0]!.say(data('user.fills', index + 1, made));
			await stage.pass(DOWN_MS / SUBSCRIBERS);
			if (index === SUBSCRIBERS) break;
			await all[index]!.subscription.close();
			stopped.push(all[index]!.positions!);
		}
		return { stopped, lists };
	}

	const nameOf = (index: number): string => `f${String(index).padStart(2, '0')}`;

	const keysOf = (from: number): string[] =>
		Array.from({ length: SUBSCRIBERS + 1 - from }, (_, index) => `fill:${nameOf(from + index)}:order-1`);
});
