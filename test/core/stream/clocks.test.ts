import { ExchangeError, type Item } from '@partner-exchange/core';
import { lastingNotices } from '@partner-exchange/core/adapters';
import { data, fill, openStage, order } from './stage';

const FILLS = { topics: ['user.fills'] };

const SECOND_MS = 1_000;

const HOUR_MS = 3_600_000;

describe.each([
	['back', -HOUR_MS],
	['forward', HOUR_MS],
])('a clock that is set %s', (_, byMs) => {
	it('a wrong clock delivers nothing old if the first backfill fails and only a reply shows the time', async () => {
		const { client, lists, faults, consume, pass, time } = openStage({ setByMs: byMs });
		client.serviceTime = () => time.now();
		const at = (id: string) => ({ ...fill(id), created_at: new Date(time.now()).toISOString() });
		const old = at('old');
		await pass(60 * SECOND_MS);
		faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		const seen = consume({ ...FILLS, retriesFirstConnection: true });
		await pass(SECOND_MS);
		lists['fill.list'] = [at('lost'), old];
		faults['fill.list'] = undefined;
		await pass(60 * SECOND_MS);
		expect(seen.keys()).toEqual(['fill:lost:order-1']);
	});

	it('a wrong clock delivers nothing old to a new subscriber, and nothing twice to a rejoining one', async () => {
		const { sockets, lists, consume, pass, setClock, time } = openStage();
		const first = consume(FILLS);
		await first.subscription.ready;
		const at = (id: string) => ({ ...fill(id), created_at: new Date(time.now()).toISOString() });
		lists['fill.list'] = [at('known')];
		sockets[0]!.say(data('user.fills', 1, at('known')));
		await pass(30 * SECOND_MS);
		await first.subscription.close();
		setClock(byMs);
		lists['fill.list'] = [at('missed'), ...lists['fill.list']];
		const [again, late] = [consume({ ...FILLS, checkpoint: first.positions }), consume(FILLS)];
		await pass(100 * SECOND_MS);
		expect([again.keys(), late.keys()]).toEqual([['fill:missed:order-1'], []]);
	});
});

describe('first start clocks', () => {
	const MINUTE_MS = 60 * SECOND_MS;

	const HOUR_MS = 60 * MINUTE_MS;

	const ROWS = 300;

	/** How services write the time of a row, and how wrong the clock of this machine may be. */
	const services: Record<string, { setByMs?: number; everyMs?: number; write(at: number): unknown }> = {
		'on a machine four hours behind': { setByMs: -4 * HOUR_MS, everyMs: MINUTE_MS, write: iso },
		'on a machine four hours ahead': { setByMs: 4 * HOUR_MS, write: iso },
		'with times of Lagos without a zone': { write: (at) => iso(at + HOUR_MS).slice(0, -1) },
		'with times in seconds': { write: (at) => Math.floor(at / 1_000) },
		'with times in nanoseconds': { write: (at) => `${at}000000` },
	};

	function iso(at: number): string {
		return new Date(at).toISOString();
	}

	describe.each(Object.entries(services))('a first start %s', (_, { setByMs, everyMs = SECOND_MS, write }) => {
		const open = (rowOf: (id: string, created_at: unknown) => Item, list: string) => {
			const stage = openStage({ pageMax: 100, setByMs });
			const row = (id: string, agoMs = 0) => rowOf(id, write(stage.time.now() - agoMs));
			stage.lists[list] = Array.from({ length: ROWS }, (__, index) => row(`old-${index}`, index * everyMs));
			return { ...stage, row };
		};

		it('a first start on a wrong clock delivers no fill of its first backfill, and every later one', async () => {
			const stage = open((id, created_at) => ({ ...fill(id), created_at }), 'fill.list');
			const seen = stage.consume({ topics: ['user.fills'] });
			await seen.subscription.ready;
			await stage.pass(2 * MINUTE_MS);
			stage.lists['fill.list']!.unshift(stage.row('lost on the stream'));
			await stage.pass(2 * MINUTE_MS);
			expect(seen.keys()).toEqual(['fill:lost on the stream:order-1']);
		});
	});

	it('says for the log of a host what a service costs that sets its clock back', async () => {
		const { lists, consume, pass, time } = openStage();
		const row = (id: string, setByMs = 0): Item => ({ ...fill(id), created_at: iso(time.now() + setByMs) });
		lists['fill.list'] = [row('second'), row('first', -MINUTE_MS), row('old', -HOUR_MS)];
		const seen = consume(FILLS);
		await pass(MINUTE_MS);
		lists['fill.list'].unshift(row('dated back', -HOUR_MS));
		await pass(2 * MINUTE_MS);
		const said: string[] = [];
		seen.notices.forEach(lastingNotices((text) => said.push(text)));
		expect(said).toEqual([expect.stringMatching(/^user.fills: .*set its clock back.*compare with the list$/)]);
	});

	/** Lagos on the stream and UTC in the list, or the other way round. */
	describe.each([
		['behind', -HOUR_MS],
		['ahead of', HOUR_MS],
	])('a list that is dated an hour %s the stream', (_, apartMs) => {
		it('a first start delivers a fill that only the list shows, although the stream brought others', async () => {
			const { sockets, lists, consume, pass, time } = openStage();
			const listed = (id: string) => ({ ...fill(id), created_at: iso(time.now() + apartMs) });
			lists['fill.list'] = [listed('old')];
			const seen = consume(FILLS);
			await seen.subscription.ready;
			await pass(MINUTE_MS);
			sockets.at(-1)!.say(data('user.fills', 1, { ...fill('live'), created_at: iso(time.now()) }));
			lists['fill.list'].unshift(listed('live'));
			await pass(MINUTE_MS);
			lists['fill.list'].unshift(listed('lost on the stream'));
			await pass(2 * MINUTE_MS);
			expect(seen.keys()).toEqual(['fill:live:order-1', 'fill:lost on the stream:order-1']);
		});

		it('a first start delivers the end of an order that was open before it, although only the list shows it', async () => {
			const { lists, consume, pass, time } = openStage();
			const row = (id: string, status: string, created_at: string) =>
				order(id, status, '0', { created_at, updated_at: iso(time.now() + apartMs) });
			const before = iso(time.now());
			lists['order.list'] = [row('resting', 'accepted', before)];
			const seen = consume({ topics: ['user.orders'] });
			await seen.subscription.ready;
			await pass(MINUTE_MS);
			const other = row('other', 'accepted', iso(time.now()));
			lists['order.list'] = [other, row('resting', 'cancelled', before)];
			await pass(2 * MINUTE_MS);
			expect(seen.keys()).toEqual(['order:resting:cancelled:0', 'order:other:accepted:0']);
		});
	});

	describe('a first start', () => {
		it('a first start is told no late row of before it, however long its first read took', async () => {
			const { client, lists, consume, pass, time } = openStage({ pageMax: 25 });
			const from = time.now();
			const at = (id: string, seconds: number): Item => ({ ...fill(id), created_at: iso(from + seconds * SECOND_MS) });
			// Several pages of the last minute, each of which takes five seconds.
			const known = Array.from({ length: 90 }, (_, index) => at(`known-${index}`, -index / 2));
			lists['fill.list'] = known;
			const { page } = client;
			client.page = async (...asked) => {
				await new Promise<void>((resolve) => time.after(5 * SECOND_MS, resolve));
				return await page(...asked);
			};
			const seen = consume({ ...FILLS, retriesFirstConnection: true });
			await pass(40 * SECOND_MS);
			lists['fill.list'] = [at('new', 39), at('late', -15), ...known];
			await pass(90 * SECOND_MS);
			expect(seen.keys()).toEqual(['fill:new:order-1']);
		});

		it('a first start delivers every later row although rows are dated tomorrow', async () => {
			const stage = openStage({ pageMax: 10 });
			const row = (id: string, agoMs = 0): Item => ({ ...fill(id), created_at: iso(stage.time.now() - agoMs) });
			const dated = Array.from({ length: 3 }, (_, index) => row(`tomorrow-${index}`, -24 * HOUR_MS));
			stage.lists['fill.list'] = [
				...dated,
				...Array.from({ length: ROWS }, (_, index) => row(`old-${index}`, index * SECOND_MS)),
			];
			const seen = stage.consume({ topics: ['user.fills'], batchMax: ROWS });
			await stage.pass(10_000);
			await seen.subscription.ready;
			await stage.pass(2 * MINUTE_MS);
			const missed = Array.from({ length: 200 }, (_, index) => row(`missed-${index}`, index));
			stage.lists['fill.list'].splice(dated.length, 0, ...missed);
			await stage.pass(2 * MINUTE_MS);
			expect(new Set(seen.keys())).toEqual(new Set(missed.map(({ id }) => `fill:${id as string}:order-1`)));
			expect(seen.events).toHaveLength(missed.length);
		});
	});
});
