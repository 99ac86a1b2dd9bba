import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ExchangeError, type Item, type StoredCheckpoint } from '@partner-exchange/core';
import { seal, type Sealed } from '../../../packages/core/src/sealed';
import { LAG_MAX } from '../../../packages/core/src/stream/limits';
import { checkpointOf } from './checkpoint-stage';
import { data, fill, openStage, order, trade } from './stage';

/** Checkpoints that version 4 of their form stored, while it delivered what the tests below describe. */
const stored = (name: string): StoredCheckpoint =>
	JSON.parse(readFileSync(join(__dirname, '../../fixtures/checkpoints', `${name}.json`), 'utf8')) as StoredCheckpoint;

const at = (second: number) => new Date(Date.UTC(2026, 0, 5, 9) + second * 1_000).toISOString();
const timed = (row: Item, second: number): Item => ({ ...row, created_at: at(second) });

/** What a consumer is delivered that continues from a checkpoint; another one continues from its own and gets nothing. */
async function continued(checkpoint: StoredCheckpoint, topic: string, lists: Record<string, Item[]>) {
	const stage = openStage({
		pageMax: 100,
		confirms: () => ({ positions: { [topic]: { epoch: 'e1', seq: 900 } } }),
	});
	Object.assign(stage.lists, lists);
	const seen = stage.consume({ topics: [topic], checkpoint, retriesFirstConnection: true });
	await stage.pass(120_000);
	await seen.subscription.close();
	const again = stage.consume({ topics: [topic], checkpoint: seen.positions, retriesFirstConnection: true });
	await stage.pass(120_000);
	await stage.stream.close();
	expect(again.keys()).toEqual([]);
	return seen;
}

describe('a checkpoint that an earlier release stored', () => {
	it('a stored checkpoint knows its fills, and those that were missed are delivered', async () => {
		const rows = Array.from({ length: 31 }, (_, index) => timed(fill(`fill-${index + 1}`), 101 + index));
		const old = [1, 2].map((number) => timed(fill(`old-${number}`), number));
		const seen = await continued(stored('fills'), 'user.fills', { 'fill.list': [...old, ...rows].reverse() });
		expect(seen.keys()).toEqual(['fill:fill-31:order-1']);
	});

	it('a stored checkpoint knows its orders, and new states of open ones are delivered', async () => {
		const states = [
			...[order('old-ended', 'filled', '30'), order('old-open', 'filled', '30')],
			...Array.from({ length: 12 }, (_, index) =>
				(index + 1) % 3 === 0
					? order(`order-${index + 1}`, 'filled', '30', { price: '1500' })
					: order(`order-${index + 1}`, index === 0 ? 'cancelled' : 'accepted', '0', { price: '1500' }),
			),
		];
		const seen = await continued(stored('orders'), 'user.orders', { 'order.list': states.reverse() });
		expect(seen.keys().sort()).toEqual(['order:old-open:filled:30', 'order:order-1:cancelled:0']);
	});

	it('a stored checkpoint knows its trades by number, and one lost before is delivered', async () => {
		const rows = Array.from({ length: 901 }, (_, index) => timed(trade(index + 1), index + 1));
		const seen = await continued(stored('trades'), 'trades.USD_NGN', { 'market.trades': rows });
		expect(seen.keys()).toEqual(['trade:trade-500', 'trade:trade-901']);
	});

	it('a first start that goes on, and falls behind, still gets what it missed before', async () => {
		const { sockets, lists, consume, settled, pass, stream } = openStage({ pageMax: 100 });
		const missed = Array.from({ length: 150 }, (_, index) => timed(fill(`missed-${index}`), index - 300));
		const live = Array.from({ length: LAG_MAX + 1 }, (_, index) => timed(fill(`live-${index}`), 60));
		const old = timed(fill('old'), -900);
		lists['fill.list'] = [old, ...missed].reverse();
		const keys: string[] = [];
		let take = (): void => undefined;
		const taken = new Promise<void>((resolve) => (take = resolve));
		consume({
			topics: ['user.fills'],
			checkpoint: checkpointOf({ 'user.fills': { unreadSince: Date.parse(at(-600)) } }),
			retriesFirstConnection: true,
			batchMax: 100,
			deliver: async (events) => {
				await taken;
				keys.push(...events.map(({ eventKey }) => eventKey));
			},
		});
		await pass(60_000);
		live.forEach((row, index) => sockets.at(-1)!.say(data('user.fills', index + 1, row)));
		lists['fill.list'] = [old, ...missed, ...live].reverse();
		await settled();
		take();
		await pass(240_000);
		await stream.close();
		expect([keys.length, new Set(keys).size]).toEqual([151 + LAG_MAX, 151 + LAG_MAX]);
	});

	it('a stored checkpoint continues a first backfill that had failed', async () => {
		const rows = [1, 2, 3].map((number) => fill(`fill-${number}`));
		const seen = await continued(stored('unread'), 'user.fills', {
			'fill.list': [timed(fill('new'), 60), ...rows, timed(fill('old'), -60)],
		});
		expect(seen.keys()).toEqual(['fill:new:order-1']);
	});
});

describe('a checkpoint whose latest fill no list shows yet', () => {
	it('knows it, also beside a consumer that has read the list', async () => {
		const listed = [timed(fill('old'), -600)];
		const follow = async (checkpoint?: StoredCheckpoint) => {
			const stage = openStage();
			stage.lists['fill.list'] = listed;
			const seen = stage.consume({ topics: ['user.fills'], checkpoint });
			await stage.pass(1_000);
			return { stage, seen };
		};
		const unlisted = timed(fill('unlisted'), 1);
		const { stage: earlier, seen: left } = await follow();
		earlier.sockets[0]!.say(data('user.fills', 1, unlisted));
		await earlier.pass(1_000);
		expect(left.keys()).toEqual(['fill:unlisted:order-1']);

		const { stage } = await follow();
		const back = stage.consume({ topics: ['user.fills'], checkpoint: left.positions });
		await stage.pass(1_000);
		stage.lists['fill.list'] = [unlisted, ...listed];
		await stage.pass(120_000);
		expect(back.keys()).toEqual([]);
	});
});

describe('a checkpoint of a moment after a mass cancel', () => {
	it('knows every order that ended, where a list still shows them as open after a second crash', async () => {
		const ids = Array.from({ length: 900 }, (_, index) => `order-${index}`);
		const rows = (status: string) => ids.map((id, index) => timed(order(id, status), index / 10));
		let checkpoint: StoredCheckpoint | undefined;
		const run = async (list: Item[], said: Item[]) => {
			const stage = openStage({ pageMax: 1_000 });
			stage.lists['order.list'] = list;
			const seen = stage.consume({ topics: ['user.orders'], checkpoint, retriesFirstConnection: true });
			await stage.pass(1_000);
			said.forEach((row, index) => stage.sockets.at(-1)!.say(data('user.orders', index + 1, row)));
			await stage.pass(1_000);
			checkpoint = seen.positions;
			return { stage, seen };
		};
		const { seen: first } = await run(rows('accepted'), rows('cancelled'));
		expect(first.keys()).toHaveLength(ids.length);
		const { seen: second } = await run(rows('accepted'), [timed(order('order-0', 'cancelled'), 0)]);
		expect(second.keys()).toEqual([]);
		const { stage, seen: third } = await run(rows('accepted'), []);
		stage.lists['order.list'] = rows('cancelled');
		await stage.pass(120_000);
		expect(third.keys()).toEqual([]);
	});
});

describe('a checkpoint that is not one of this version', () => {
	const topicOf = ({ topics }: StoredCheckpoint): Sealed => (topics as Record<string, Sealed>)['user.fills']!;
	const { value } = topicOf(stored('fills'));

	it.each([
		['another version of all of it', { ...stored('fills'), version: 2 }],
		['another version of a topic', { version: 4, topics: { 'user.fills': seal(value, 2) } }],
	])('begins anew from %s, tells so in words, and leaves a gap', async (_, checkpoint) => {
		const rows = Array.from({ length: 31 }, (__, index) => timed(fill(`fill-${index + 1}`), -101 - index));
		const seen = await continued(checkpoint, 'user.fills', { 'fill.list': rows });
		expect(seen.events.map(({ kind, data }) => [kind, (data as Item).done])).toEqual([['gap', 'checkpoint_lost']]);
		expect(seen.notices.map(({ text }) => text)).toContainEqual(expect.stringMatching(/version/));
	});

	it('delivers what happens behind that gap, also before the first read', async () => {
		const stage = openStage();
		const seen = stage.consume({
			...{ topics: ['user.fills'], checkpoint: { version: 2 }, retriesFirstConnection: true },
		});
		const since = new Date(stage.time.now() + 100).toISOString();
		stage.lists['fill.list'] = [{ ...fill('since'), created_at: since }, timed(fill('old'), -60)];
		await stage.pass(120_000);
		await stage.stream.close();
		expect(seen.events.map(({ kind, eventKey }) => kind ?? eventKey)).toEqual(['gap', 'fill:since:order-1']);
	});

	it.each([
		['a list', []],
		['a text', JSON.stringify(stored('fills'))],
		['nothing', null],
		['an empty record', {}],
		['a number', 3],
		['a record of another kind', seal({ intents: {} }, 4)],
		['one without topics', { version: 4, topics: 'none' }],
		['one of no version', { topics: stored('fills').topics }],
		['one whose topic is a list', { version: 4, topics: { 'user.fills': [] } }],
		['one whose topic is nothing', { version: 4, topics: { 'user.fills': null } }],
		['a torn one', { version: 4, topics: { 'user.fills': { ...topicOf(stored('fills')), value: { keys: '' } } } }],
		[
			'one that was changed',
			{ version: 4, topics: { 'user.fills': { ...topicOf(stored('fills')), value: { ...(value as Item), seq: 1 } } } },
		],
	])('refuses %s in words, before anything is requested', async (_, checkpoint) => {
		const { consume, sockets, settled } = openStage();
		const seen = consume({ topics: ['user.fills'], checkpoint: checkpoint as never });
		await expect(seen.subscription.ready).rejects.toMatchObject({
			...{ code: 'invalid_input', field: 'checkpoint' },
			message: expect.stringContaining('The checkpoint is damaged'),
		});
		await settled();
		expect([seen.failed, sockets.length]).toEqual([expect.objectContaining({ code: 'invalid_input' }), 0]);
	});

	it('begins from now with a damaged one, if missed events are not wanted', async () => {
		const { consume } = openStage();
		const { subscription } = consume({ topics: ['user.fills'], checkpoint: [] as never, deliverMissed: false });
		await expect(subscription.ready).resolves.toBeUndefined();
	});

	it('continues from a checkpoint without one of its topics, and of a topic that it has no longer', async () => {
		const { consume, sockets } = openStage();
		const checkpoint = checkpointOf({ 'user.orders': { epoch: 'e1', seq: 4 }, 'user.fills': { epoch: 'e1', seq: 5 } });
		const seen = consume({ topics: ['user.fills', 'trades.USD_NGN'], checkpoint });
		await expect(seen.subscription.ready).resolves.toBeUndefined();
		expect(sockets.map(({ sent }) => sent[0]!.resume)).toContainEqual({ 'user.fills': { epoch: 'e1', seq: 5 } });
	});
});

describe('a first start whose process is killed twice', () => {
	const rows: Record<string, [list: string, row: (number: number) => Item]> = {
		'user.fills': ['fill.list', (number) => fill(`${number}`)],
		'user.orders': ['order.list', (number) => order(`${number}`, 'filled')],
		'trades.USD_NGN': ['market.trades', trade],
	};

	it.each(Object.keys(rows))(
		'delivers no old events of %s, though lists could not be read in its first life',
		async (topic) => {
			const stage = openStage();
			const [list, row] = rows[topic]!;
			const made = (number: number, agoMs: number): Item => ({
				...row(number),
				created_at: new Date(stage.time.now() - agoMs).toISOString(),
			});
			stage.lists[list] = Array.from({ length: 20 }, (_, index) => made(index + 1, (20 - index) * 60_000));
			stage.faults[list] = new ExchangeError('unavailable', { what: 'The service failed' });
			const live = async (checkpoint: StoredCheckpoint | undefined, ms: number) => {
				const seen = stage.consume({ topics: [topic], checkpoint, retriesFirstConnection: true });
				await stage.pass(ms);
				await seen.subscription.close();
				return seen;
			};
			const first = await live(undefined, 20_000);
			stage.faults[list] = undefined;
			stage.lists[list].push(made(21, 0));
			const second = await live(first.positions, 5_000);
			stage.lists[list].push(made(22, 0));
			const third = await live(second.positions, 120_000);
			expect([first, second, third].map(({ events }) => events.length)).toEqual([0, 1, 1]);
		},
	);
});
