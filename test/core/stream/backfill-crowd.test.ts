import type { StoredCheckpoint } from '@partner-exchange/core';
import { NEWCOMERS_SPACING_MS } from '../../../packages/core/src/stream/limits';
import { data, fill, openStage, order } from './stage';

const FILLS = { topics: ['user.fills'] };
const SUBSCRIBERS = 50;
/** As n8n activates a thousand workflows: one after the other, for a minute. */
const RESTART_MS = 60_000;
const DOWN_MS = 300_000;
/** As n8n publishes a thousand workflows on a slow machine. */
const START_MS = 240_000;
const NEWCOMERS = 200;
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
		expect(stage.reads.length).toBeLessThanOrEqual(10);
		await stage.pass(20_000);
		const missed = stopped.map((_, index) => keysOf(index + 1));
		expect(back.map(({ keys }) => keys().sort())).toEqual(missed);
	});

	it('serves a crowd that left an empty list by few backfills', async () => {
		const before = openStage();
		const left = Array.from({ length: SUBSCRIBERS }, () => before.consume(FILLS));
		await before.pass(NEWCOMERS_SPACING_MS);
		const stage = openStage();
		stage.lists['fill.list'] = [{ ...fill('f1'), created_at: new Date(stage.time.now()).toISOString() }];
		const back = [];
		for (const { positions } of left) {
			back.push(stage.consume({ ...FILLS, checkpoint: positions }));
			await stage.pass(RESTART_MS / SUBSCRIBERS);
			stage.sockets[0]!.say({ type: 'pong' });
		}
		await stage.pass(1_000);
		expect(stage.reads.length).toBeLessThanOrEqual(10);
		expect(back.map(({ keys }) => keys())).toEqual(left.map(() => ['fill:f1:order-1']));
	});

	it('serves each of a crowd that follows orders within NEWCOMERS_SPACING_MS, though each needs a read', async () => {
		const before = openStage();
		const resting = order('o1', 'accepted', '0', { created_at: new Date(before.time.now()).toISOString() });
		const left = Array.from({ length: SUBSCRIBERS }, () => before.consume({ topics: ['user.orders'] }));
		await before.pass(1_000);
		before.sockets[0]!.say(data('user.orders', 1, resting));
		await before.pass(1_000);
		const stage = openStage();
		stage.lists['order.list'] = [{ ...resting, status: 'cancelled' }];
		const waits: number[] = [];
		for (const { positions } of left) {
			const joinedAt = stage.time.now();
			const deliver = async () => void waits.push(stage.time.now() - joinedAt);
			stage.consume({ topics: ['user.orders'], checkpoint: positions, deliver });
			await stage.pass(RESTART_MS / SUBSCRIBERS);
			stage.sockets[0]!.say({ type: 'pong' });
		}
		await stage.pass(NEWCOMERS_SPACING_MS);
		expect(waits).toHaveLength(SUBSCRIBERS);
		expect(Math.max(...waits)).toBeLessThanOrEqual(NEWCOMERS_SPACING_MS + 1_000);
	});

	it('serves the first of a crowd at once and the last within NEWCOMERS_SPACING_MS', async () => {
		const { stopped, lists } = await run();
		const stage = openStage();
		stage.lists['fill.list'] = lists;
		await stage.pass(2 * DOWN_MS);
		const first = stage.consume({ ...FILLS, checkpoint: stopped[0] });
		await stage.pass(1_000);
		expect(first.keys()).toHaveLength(SUBSCRIBERS);
		const second = stage.consume({ ...FILLS, checkpoint: stopped[1] });
		await stage.pass(2_000);
		expect(second.keys()).toHaveLength(SUBSCRIBERS - 1);
		for (const checkpoint of stopped.slice(2)) stage.consume({ ...FILLS, checkpoint });
		const last = stage.consume({ ...FILLS, checkpoint: stopped[2] });
		await stage.pass(NEWCOMERS_SPACING_MS + 1_000);
		expect(last.keys()).toHaveLength(SUBSCRIBERS - 2);
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
		expect(came.map(({ newcomer }) => newcomer.keys().length)).toEqual(came.map(({ missed }) => fills.length - missed));
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
