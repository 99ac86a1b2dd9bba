import { ExchangeError } from '@partner-exchange/core';
import { storedIn } from './checkpoint-stage';
import { data, fill, openStage } from './stage';

const FILLS = { topics: ['user.fills'] };
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

describe.each([
	['back', -HOUR_MS],
	['forward', HOUR_MS],
])('a clock that is set %s', (_, byMs) => {
	it('a changed clock hides no silent connection', async () => {
		const { sockets, consume, pass, setClock } = openStage();
		await consume(FILLS).subscription.ready;
		await pass(10 * SECOND_MS);
		setClock(byMs);
		expect(sockets[0]!.isTerminated).toBe(false);
		await pass(36 * SECOND_MS);
		expect(sockets[0]!.isTerminated).toBe(true);
	});

	it('a changed clock delays no read, delivery or storing', async () => {
		const { sockets, lists, consume, pass, setClock, time } = openStage();
		const seen = consume(FILLS);
		await seen.subscription.ready;
		await pass(30 * SECOND_MS);
		setClock(byMs);
		const lost = { ...fill('lost'), created_at: new Date(time.now()).toISOString() };
		lists['fill.list'] = [lost];
		await pass(60 * SECOND_MS);
		expect(seen.keys()).toEqual(['fill:lost:order-1']);
		sockets.at(-1)!.say(data('user.fills', 7, fill('live')));
		await pass(SECOND_MS);
		expect(seen.keys()).toEqual(['fill:lost:order-1', 'fill:live:order-1']);
		expect(storedIn(seen.positions)).toMatchObject({ 'user.fills': { seq: 7 } });
	});

	it('a clock that was wrong from the start delivers nothing old if the first backfill fails, and what is lost meanwhile', async () => {
		const { sockets, lists, faults, consume, pass, time } = openStage({ setByMs: byMs });
		const at = (id: string) => ({ ...fill(id), created_at: new Date(time.now()).toISOString() });
		const old = at('old');
		await pass(60 * SECOND_MS);
		faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		const seen = consume({ ...FILLS, retriesFirstConnection: true });
		await pass(SECOND_MS);
		const [lost, live] = [at('lost'), at('live')];
		sockets[0]!.say({ ...data('user.fills', 1, live), ts: live.created_at });
		lists['fill.list'] = [live, lost, old];
		faults['fill.list'] = undefined;
		await pass(60 * SECOND_MS);
		expect(seen.keys().toSorted()).toEqual(['fill:live:order-1', 'fill:lost:order-1']);
	});

	it('a wrong clock or a message dated in fifty years hides nothing that is lost while the first backfill fails', async () => {
		const { client, sockets, lists, faults, consume, pass, time } = openStage({ setByMs: byMs });
		client.serviceTime = () => time.now();
		const at = (id: string) => ({ ...fill(id), created_at: new Date(time.now()).toISOString() });
		faults['fill.list'] = new ExchangeError('unavailable', { what: 'The service failed' });
		const seen = consume({ ...FILLS, retriesFirstConnection: true });
		await pass(SECOND_MS);
		const [lost, live] = [at('lost'), at('live')];
		sockets[0]!.say({ ...data('user.fills', 1, live), ts: '2076-01-05T09:00:00.000Z' });
		lists['fill.list'] = [live, lost];
		faults['fill.list'] = undefined;
		await pass(60 * SECOND_MS);
		expect(seen.keys().toSorted()).toEqual(['fill:live:order-1', 'fill:lost:order-1']);
	});

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
