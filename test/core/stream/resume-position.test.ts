import { ExchangeError } from '@partner-exchange/core';
import { STABLE_AFTER_MS } from '../../../packages/core/src/stream/limits';
import { checkpointOf } from './checkpoint-stage';
import { data, fill, follow, openStage, type FakeSocket } from './stage';

const FILLS = { topics: ['user.fills'] };
const at = (epoch: string, seq: number) => ({ positions: { 'user.fills': { epoch, seq } } });
const STORED = checkpointOf({ 'user.fills': { epoch: 'e1', seq: 41, settled: 0 } });

/** The connection stays for so long that a next one asks for a replay again. */
async function holds(socket: FakeSocket, pass: (ms: number) => Promise<unknown>): Promise<void> {
	for (let half = 0; half < 2; half += 1) {
		await pass(STABLE_AFTER_MS / 2);
		socket.say({ type: 'pong' });
	}
}

describe('resuming', () => {
	it.each([
		['has read the list since', undefined],
		['could not read the list since', new ExchangeError('unavailable', { what: 'The service failed' })],
	])('replays also to a consumer that joined while the stream was away, and %s', async (_, failure) => {
		const stage = openStage({ confirms: false });
		const confirm = () => stage.sockets.at(-1)!.say({ type: 'subscribed', topics: ['user.fills'] });
		const dated = (id: string) => ({ ...fill(id), created_at: new Date(stage.time.now()).toISOString() });
		stage.lists['fill.list'] = [dated('old')];
		stage.consume({ topics: ['user.fills'] });
		await stage.pass(1_000);
		confirm();
		// The numbers have a hole, so the list is read at once, after 5 seconds and after 20.
		for (const seq of [1, 3]) stage.sockets[0]!.say(data('user.fills', seq, dated(`seen-${seq}`)));
		await stage.pass(1_000);
		stage.sockets[0]!.close();
		stage.faults['fill.list'] = failure;
		const joined = stage.consume({ topics: ['user.fills'], retriesFirstConnection: true });
		await stage.pass(7_000);
		const missed = dated('missed');
		expect(stage.sockets).toHaveLength(2);
		stage.sockets[1]!.say(data('user.fills', 4, missed));
		confirm();
		stage.faults['fill.list'] = undefined;
		stage.lists['fill.list'] = [missed, ...stage.lists['fill.list']];
		await stage.pass(120_000);
		expect(joined.keys()).toEqual(['fill:missed:order-1']);
	});

	it('replays also to a consumer whose list could not be read since it joined', async () => {
		const stage = openStage({ confirms: false });
		const confirm = () => stage.sockets.at(-1)!.say({ type: 'subscribed', topics: ['user.fills'] });
		const dated = (id: string) => ({ ...fill(id), created_at: new Date(stage.time.now()).toISOString() });
		stage.faults['fill.list'] = new ExchangeError('forbidden', { what: 'The key may not read' });
		const seen = stage.consume({ ...FILLS, retriesFirstConnection: true });
		await stage.pass(1_000);
		confirm();
		await stage.pass(5_000);
		const live = dated('live');
		stage.sockets[0]!.say(data('user.fills', 1, live));
		await stage.pass(1_000);
		stage.sockets[0]!.close();
		await stage.pass(7_000);
		const missed = dated('missed');
		stage.sockets[1]!.say(data('user.fills', 2, missed));
		confirm();
		stage.faults['fill.list'] = undefined;
		stage.lists['fill.list'] = [missed, live];
		await stage.pass(120_000);
		const fills = seen.events.filter(({ kind }) => kind === undefined).map(({ eventKey }) => eventKey);
		expect(fills).toEqual(['fill:live:order-1', 'fill:missed:order-1']);
	});

	it('requests what came after the last position of each topic', async () => {
		const { say, sockets, pass } = await follow({ topics: ['user.fills', 'user.orders'] });
		await say(data('user.fills', 5, fill('f1')));
		sockets[0]!.close();
		await pass(9_000);
		expect(sockets[1]!.sent[0]).toEqual({
			type: 'subscribe',
			topics: ['user.fills', 'user.orders'],
			snapshot: false,
			resume: { 'user.fills': { epoch: 'e1', seq: 5 } },
		});
	});

	it('resumes from the stored position and marks what the service repeats as replayed', async () => {
		const { say, sockets, seen } = await follow({ ...FILLS, checkpoint: STORED }, { confirms: () => at('e1', 42) });
		expect(sockets[0]!.sent[0]).toMatchObject({ resume: { 'user.fills': { epoch: 'e1', seq: 41 } } });
		await say(data('user.fills', 42, fill('f1')), data('user.fills', 43, fill('f2')));
		expect(seen.events.map(({ delivery }) => delivery)).toEqual(['replayed', 'live']);
	});

	it('resumes from before what a resume did not bring, although the confirmation named a later position, and reads it', async () => {
		const { sockets, reads, pass } = await follow({ ...FILLS, checkpoint: STORED }, { confirms: () => at('e1', 45) });
		await holds(sockets[0]!, pass);
		sockets[0]!.close();
		await pass(9_000);
		expect(sockets[1]!.sent[0]).toMatchObject({ resume: { 'user.fills': { epoch: 'e1', seq: 41 } } });
		await pass(30_000);
		const before = reads.length;
		sockets[1]!.say(data('user.fills', 46, fill('f1')));
		await pass(1_000);
		expect(reads.length).toBe(before + 1);
	});

	it('delivers only new events if missed ones are not wanted', async () => {
		const { sockets, lists, consume, pass } = openStage();
		lists['fill.list'] = [fill('missed')];
		const seen = consume({ ...FILLS, checkpoint: STORED, deliverMissed: false });
		await seen.subscription.ready;
		await pass(60_000);
		expect(sockets[0]!.sent[0]).not.toHaveProperty('resume');
		expect(seen.events).toEqual([]);
	});

	it('writes the resume field under the name the account gives it, or not at all', async () => {
		const named = openStage({ account: { names: { 'stream.resume': 'since' } } });
		const none = openStage({ account: { names: { 'stream.resume': '' } } });
		for (const { consume } of [named, none]) await consume({ ...FILLS, checkpoint: STORED }).subscription.ready;
		expect(named.sockets[0]!.sent[0]).toMatchObject({ since: { 'user.fills': { epoch: 'e1', seq: 41 } } });
		expect(Object.keys(none.sockets[0]!.sent[0]!)).toEqual(['type', 'topics', 'snapshot']);
	});

	it('subscribes without the resume field, and reads, if the service does not accept it', async () => {
		const { sockets, lists, consume, settled, pass } = openStage({ confirms: false });
		lists['fill.list'] = [fill('missed')];
		const seen = consume({ ...FILLS, checkpoint: STORED });
		await settled();
		sockets[0]!.say({ type: 'error', code: 'invalid_resume', message: 'resume is not understood' });
		await pass(1_000);
		expect(sockets[0]!.sent[1]).toEqual({ type: 'subscribe', topics: ['user.fills'], snapshot: false });
		sockets[0]!.say({ type: 'subscribed', topics: ['user.fills'] });
		await seen.subscription.ready;
		await pass(100);
		expect(seen.keys()).toEqual(['fill:missed:order-1']);
	});

	it('asks for no replay after a connection that asked for one and ended, for one after that, and reads what was missed', async () => {
		const stage = openStage();
		const seen = stage.consume({ ...FILLS, checkpoint: STORED });
		for (let made = 0; made < 4; made += 1) {
			await stage.settled();
			stage.sockets.at(-1)!.close({ code: made < 2 ? 1009 : 1006 });
			await stage.pass(9_000);
		}
		expect(stage.sockets.map(({ sent }) => 'resume' in sent[0]!)).toEqual([true, false, true, false, true]);
		stage.lists['fill.list'] = [fill('missed')];
		await stage.pass(22_000);
		expect(seen.keys()).toEqual(['fill:missed:order-1']);
	});

	it('tells a gap after a connection that asked for no replay, where no list can be read', async () => {
		const { sockets, consume, settled, pass } = openStage({ account: { apiKey: '' } });
		const topic = 'trades.USD_NGN';
		const seen = consume({ topics: [topic], checkpoint: checkpointOf({ [topic]: { epoch: 'e1', seq: 41 } }) });
		await seen.subscription.ready;
		sockets[0]!.close();
		await pass(9_000);
		await settled();
		expect(sockets.map(({ sent }) => 'resume' in sent[0]!)).toEqual([true, false]);
		expect(seen.events).toMatchObject([{ kind: 'gap', data: { done: 'not_readable' } }]);
	});
});
