import { ExchangeError, type Item } from '@partner-exchange/core';
import { data, fill, openStage, order } from './stage';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const FILLS = { topics: ['user.fills'], batchMax: 1_000 };

/** Fills of every second until now, the oldest first. */
const fillsUntil = (now: number, count: number): Item[] =>
	Array.from({ length: count }, (_, index) => ({
		...fill(`f${index}`),
		created_at: new Date(now - (count - index) * SECOND_MS).toISOString(),
	}));

describe('a first start', () => {
	it('whose reading fails at first tells how orders from before changed since, and no others', async () => {
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

	it('that fails stores nothing of what it read, so that the next one tells nothing old', async () => {
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

	it('tells its history apart although the process dies before what came meanwhile is taken', async () => {
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
		expect(restarted.keys()).toEqual(['fill:new']);
	});
});
