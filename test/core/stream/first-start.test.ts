import { ExchangeError, type Item } from '@partner-exchange/core';
import { STATUS_PAGES_MAX } from '../../../packages/core/src/stream/limits';
import { data, fill, openStage, order, trade } from './stage';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const FILLS = { topics: ['user.fills'], batchMax: 1_000 };

/** One fill per second until now, oldest first. */
const fillsUntil = (now: number, count: number): Item[] =>
	Array.from({ length: count }, (_, index) => ({
		...fill(`f${index}`),
		created_at: new Date(now - (count - index) * SECOND_MS).toISOString(),
	}));

describe('a first start', () => {
	it('a first start whose backfill fails at first delivers changes of earlier orders since, and no others', async () => {
		const stage = openStage();
		stage.faults['order.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		const seen = stage.consume({ topics: ['user.orders'], retriesFirstConnection: true });
		await stage.pass(20 * SECOND_MS);
		const at = (ms: number) => new Date(stage.time.now() + ms).toISOString();
		const old = { created_at: at(-60 * MINUTE_MS) };
		stage.sockets[0]!.say({ ...data('user.orders', 1, order('heard', 'accepted', '0', old)), ts: at(0) });
		await stage.pass(SECOND_MS);
		stage.lists['order.list'] = [
			order('heard', 'filled', '30', old),
			order('read', 'filled', '30', { ...old, updated_at: at(-SECOND_MS) }),
			order('old', 'filled', '30', { ...old, updated_at: at(-MINUTE_MS) }),
			order('without a time', 'filled', '30', old),
		];
		stage.faults['order.list'] = undefined;
		await stage.pass(2 * MINUTE_MS);
		expect(seen.keys()).toEqual(['order:heard:accepted:0', 'order:heard:filled:30', 'order:read:filled:30']);
	});

	it('a first start that is told an order of a lagging list is told its end, too', async () => {
		const stage = openStage();
		const at = (ms: number) => new Date(stage.time.now() + ms).toISOString();
		stage.lists['order.list'] = [order('earlier', 'filled', '30', { created_at: at(-20 * SECOND_MS) })];
		const seen = stage.consume({ topics: ['user.orders'] });
		await stage.pass(SECOND_MS);
		const late = { created_at: at(-6 * SECOND_MS), updated_at: at(-6 * SECOND_MS) };
		stage.lists['order.list'].unshift(order('late', 'accepted', '0', late));
		await stage.pass(6 * SECOND_MS);
		expect(seen.keys()).toEqual(['order:late:accepted:0']);
		const ended = { created_at: late.created_at, updated_at: at(-10 * SECOND_MS) };
		stage.sockets[0]!.say(data('user.orders', 1, order('new', 'accepted', '0', { created_at: at(0) })));
		stage.lists['order.list'] = [
			order('new', 'accepted', '0', { created_at: at(0) }),
			order('late', 'cancelled', '0', ended),
		];
		await stage.pass(MINUTE_MS);
		expect(seen.keys()).toEqual(['order:late:accepted:0', 'order:new:accepted:0', 'order:late:cancelled:0']);
	});

	it('a first start is told nothing of what its first read left unread, however long that took', async () => {
		const stage = openStage({ pageMax: 20 });
		const at = (ms: number) => new Date(stage.time.now() + ms).toISOString();
		const newest = Array.from({ length: 10 }, (_, index) => ({ created_at: at(-40 * SECOND_MS - index * 100) }));
		const before = Array.from({ length: 120 }, () => ({ created_at: at(-102 * SECOND_MS) }));
		stage.lists['order.list'] = [...newest, ...before].map((row, index) =>
			order(`o${index}`, 'cancelled', '0', {
				...row,
				updated_at: index === 125 ? at(-30 * SECOND_MS) : row.created_at,
			}),
		);
		const { page } = stage.client;
		stage.client.page = async (id, input) => {
			await new Promise<void>((resolve) => stage.time.after(SECOND_MS, resolve));
			return page(id, input);
		};
		const seen = stage.consume({ topics: ['user.orders'] });
		await stage.pass(MINUTE_MS);
		expect(seen.keys()).toEqual([]);
	});

	it('a first start while the service is away delivers nothing from before it', async () => {
		const stage = openStage({ opens: false });
		const first = stage.consume(FILLS);
		stage.sockets[0]!.open();
		await first.subscription.ready;
		stage.sockets[0]!.close();
		stage.faults['fill.list'] = new ExchangeError('unavailable', { what: 'Nothing answers' });
		await stage.pass(10 * SECOND_MS);
		stage.lists['fill.list'] = fillsUntil(stage.time.now(), 5);
		await stage.pass(10 * SECOND_MS);
		const second = stage.consume({ ...FILLS, retriesFirstConnection: true });
		await stage.pass(SECOND_MS);
		stage.faults['fill.list'] = undefined;
		for (const socket of stage.sockets) socket.open();
		await stage.pass(2 * MINUTE_MS);
		expect([first.events.length, second.events.length]).toEqual([5, 0]);
	});

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

	it("a late first start does not use the time of replayed events as the service's time", async () => {
		let seq = 5;
		const stage = openStage({ confirms: () => ({ positions: { 'user.fills': { epoch: 'e1', seq } } }) });
		await stage.pass(30 * MINUTE_MS);
		stage.lists['fill.list'] = fillsUntil(stage.time.now() - 5 * MINUTE_MS, 20).toReversed();
		stage.faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		const seen = stage.consume({ ...FILLS, retriesFirstConnection: true });
		await stage.pass(SECOND_MS);
		seq = 6;
		stage.sockets[0]!.close();
		await stage.pass(9 * SECOND_MS);
		stage.sockets[1]!.say(data('user.fills', 6, fill('replayed')));
		stage.faults['fill.list'] = undefined;
		await stage.pass(2 * MINUTE_MS);
		expect(seen.keys()).toEqual(['fill:replayed:order-1']);
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

		it('a first start whose key may not read delivers at the next start how orders changed, however old they are', async () => {
			const old = { created_at: '2026-01-05T08:00:00.000Z' };
			const { stage, at, live, stored } = await firstLife('user.orders', 'order.list', () =>
				order('heard', 'accepted', '0', old),
			);
			stage.lists['order.list'] = [
				{ ...live, status: 'filled', filled_quantity: '30', updated_at: at(-MINUTE_MS / 2) },
				order('changed', 'cancelled', '0', { ...old, updated_at: at(-MINUTE_MS / 2) }),
				order('old', 'filled', '30', { ...old, updated_at: old.created_at }),
			];
			const second = stage.consume({ topics: ['user.orders'], checkpoint: stored });
			await stage.pass(2 * MINUTE_MS);
			expect(second.keys().toSorted()).toEqual(['order:changed:cancelled:0', 'order:heard:filled:30']);
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

	it.each([10, 120, 300, 700])('a first start follows an order that rests behind %i newer ones', async (count) => {
		const stage = openStage({ pageMax: 100 });
		const at = (ms: number) => ({ created_at: new Date(stage.time.now() - ms).toISOString() });
		const newer = Array.from({ length: count }, (_, index) => order(`n${index}`, 'filled', '30', at(index * 1_000)));
		stage.lists['order.list'] = [...newer, order('old', 'accepted', '0', at(3_600_000))];
		const seen = stage.consume({ topics: ['user.orders'], batchMax: 100 });
		await seen.subscription.ready;
		const ended = order('old', 'cancelled', '0', at(3_600_000));
		stage.lists['order.list'] = [...newer, ended];
		stage.lists['order.get'] = [ended];
		await stage.pass(120_000);
		expect(seen.keys()).toEqual(['order:old:cancelled:0']);
	});

	describe('where many orders rest behind newer ones', () => {
		async function begin(fault: (input: Item) => ExchangeError | 'ignored' | undefined, resting = 350) {
			const stage = openStage({ pageMax: 100 });
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
		const ends = ['order:o100:cancelled:0', 'order:o349:cancelled:0', 'order:o99:cancelled:0'];
		const failure = new ExchangeError('unavailable', { what: 'The service failed' });

		it('a first start follows each of many orders that rest behind newer ones', async () => {
			expect(await begin(() => undefined)).toMatchObject({ keys: ends, reportCount: 0 });
		});

		it('a first start follows many resting orders although a page fails at first', async () => {
			let failed = 0;
			const fault = ({ status, offset }: Item) =>
				status === 'accepted' && Number(offset) > 200 && (failed += 1) < 3 ? failure : undefined;
			expect(await begin(fault)).toMatchObject({ keys: ends, reportCount: 0 });
			expect(failed).toBeGreaterThan(2);
		});

		it.each([
			['the service knows no such filter', new ExchangeError('refused', { what: 'It has no such filter' })],
			['reading them goes on failing', failure],
			['the service ignores the filter', 'ignored'],
		] as const)('a first start begins although %s, and says so once', async (_, error) => {
			const outcome = await begin(({ status }) => (status === undefined ? undefined : error));
			expect(outcome).toMatchObject({ keys: [], reportCount: 1 });
		});

		it('a first start reads no more pages of resting orders than its limit, and says so', async () => {
			const { reportCount, readByStatus } = await begin(() => undefined, 14_500);
			expect(reportCount).toBe(1);
			expect(readByStatus).toBeLessThanOrEqual(STATUS_PAGES_MAX);
			expect(readByStatus).toBeGreaterThan(STATUS_PAGES_MAX / 2);
		});
	});
});
