import type { Item, StreamEvent } from '@partner-exchange/core';
import { QUEUE_HARD_MAX } from '../../../packages/core/src/stream/limits';
import { noticeTexts } from '../../../packages/core/src/stream/notice-text';
import { storedIn } from './checkpoint-stage';
import { data, fill, openStage, trade } from './stage';

const FILLS = { topics: ['user.fills'] };

/** A host that acknowledges one batch at a time, when the test says so. */
function slowHost() {
	const batches: string[][] = [];
	const ends: { resolve(): void; reject(error: Error): void }[] = [];
	const deliver = (events: StreamEvent[]): Promise<void> => {
		batches.push(events.map(({ eventKey }) => eventKey));
		return new Promise((resolve, reject) => ends.push({ resolve, reject }));
	};
	return { deliver, batches, ends };
}

describe('handing over', () => {
	it('moves the position only after the host acknowledged the event (checklist 127)', async () => {
		const { sockets, consume, settled } = openStage();
		const host = slowHost();
		const seen = consume({ ...FILLS, deliver: host.deliver });
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		sockets[0]!.say(data('user.fills', 2, fill('f2')));
		await settled();
		expect(host.batches).toEqual([['fill:f1:order-1']]);
		expect(storedIn(seen.positions)['user.fills']).not.toMatchObject({ seq: 1 });
		host.ends[0]!.resolve();
		await settled();
		expect(storedIn(seen.positions)).toMatchObject({ 'user.fills': { epoch: 'e1', seq: 1 } });
		expect(host.batches).toEqual([['fill:f1:order-1'], ['fill:f2:order-1']]);
	});

	it('delivers rejected events again after a pause, without moving the position (checklist 127)', async () => {
		const { sockets, consume, settled, pass } = openStage();
		const host = slowHost();
		const seen = consume({ ...FILLS, deliver: host.deliver });
		await seen.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		host.ends[0]!.reject(new Error('the workflow failed'));
		await settled();
		expect(host.batches).toHaveLength(1);
		await pass(2_000);
		expect(host.batches).toEqual([['fill:f1:order-1'], ['fill:f1:order-1']]);
		expect(storedIn(seen.positions)['user.fills']).not.toMatchObject({ seq: 1 });
	});

	it('gathers events that arrive while the host is busy into batches of the requested size', async () => {
		const { sockets, consume, settled } = openStage();
		const host = slowHost();
		const seen = consume({ ...FILLS, deliver: host.deliver, batchMax: 2 });
		await seen.subscription.ready;
		for (let seq = 1; seq <= 4; seq += 1) sockets[0]!.say(data('user.fills', seq, fill(`f${seq}`)));
		await settled();
		host.ends[0]!.resolve();
		await settled();
		expect(host.batches).toEqual([
			['fill:f1:order-1', 'fill:f2:order-1'],
			['fill:f3:order-1', 'fill:f4:order-1'],
		]);
	});

	it('delivers an event again with the same key if it was acknowledged but not stored (checklist 128)', async () => {
		const first = openStage();
		const before = first.consume(FILLS);
		await before.subscription.ready;
		const stored = before.positions;
		first.sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await first.settled();
		const second = openStage();
		const after = second.consume({ ...FILLS, checkpoint: stored });
		await after.subscription.ready;
		second.sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await second.settled();
		expect(after.keys()).toEqual(before.keys());
	});

	it.each([
		['user.fills', 'fill.list', 'read back to a time', (id: string, at: string) => ({ ...fill(id), created_at: at })],
		['trades.USD_NGN', 'market.trades', 'read by number', (id: string) => trade(Number(id))],
	])('loses nothing that waited for a slow host when the process died (%s, %s, %s)', async (topic, list, _, rowOf) => {
		const stage = openStage();
		const made: Item[] = [];
		const make = (id: string): void => {
			made.push(rowOf(id, new Date(stage.time.now()).toISOString()));
			stage.lists[list] = topic === 'user.fills' ? made.toReversed() : [...made];
			stage.sockets.at(-1)!.say(data(topic, Number(id), made.at(-1)!));
		};
		const host = slowHost();
		const before = stage.consume({ topics: [topic], deliver: host.deliver });
		await before.subscription.ready;
		for (let id = 1; id <= 16; id += 1) {
			make(String(id));
			await stage.pass(40_000);
		}
		// The first is acknowledged now and stored, the others wait.
		host.ends[0]!.resolve();
		await stage.settled();
		const checkpoint = before.positions;
		await before.subscription.close();
		await stage.pass(60 * 60_000);
		const after = stage.consume({ topics: [topic], checkpoint });
		await stage.pass(60_000);
		expect(after.events.map((event) => (event.data as Item).id)).toEqual(made.slice(1).map(({ id }) => id));
	});

	it('recognises a stored event when it is replayed', async () => {
		const first = openStage();
		const before = first.consume(FILLS);
		await before.subscription.ready;
		first.sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await first.settled();
		const second = openStage();
		const after = second.consume({ ...FILLS, checkpoint: before.positions });
		await after.subscription.ready;
		second.sockets[0]!.say(data('user.fills', 1, fill('f1')));
		second.sockets[0]!.say(data('user.fills', 2, fill('f2')));
		await second.settled();
		expect(after.keys()).toEqual(['fill:f2:order-1']);
	});

	it('delivers nothing after a subscriber is closed, and still moves the position for events the host was busy with', async () => {
		const { sockets, consume, settled, stream } = openStage();
		const host = slowHost();
		const seen = consume({ ...FILLS, deliver: host.deliver });
		await seen.subscription.ready;
		for (const seq of [1, 2]) sockets[0]!.say(data('user.fills', seq, fill(`f${seq}`)));
		await settled();
		await seen.subscription.close();
		host.ends[0]!.resolve();
		await settled();
		expect(host.batches).toHaveLength(1);
		expect(storedIn(seen.positions)).toMatchObject({ 'user.fills': { seq: 1 } });
		await stream.close();
	});

	it('tells a slow host once that it falls behind, and reads for it what it missed', async () => {
		const { sockets, lists, consume, settled, pass } = openStage();
		const host = slowHost();
		const seen = consume({ ...FILLS, deliver: host.deliver, batchMax: 5_000 });
		await seen.subscription.ready;
		const fills = Array.from({ length: 6_000 }, (_, index) => fill(`f${index}`));
		fills.forEach((row, index) => sockets[0]!.say(data('user.fills', index + 1, row)));
		lists['fill.list'] = [...fills].reverse();
		await settled();
		const slow = seen.notices.filter(({ text }) => text === noticeTexts.tooSlow);
		expect(slow).toEqual([expect.objectContaining({ kind: 'degraded', topic: 'user.fills' })]);
		expect(seen.subscription.counters().waiting).toBeLessThan(6_000 - QUEUE_HARD_MAX + 1);
		for (let turn = 0; turn < 10; turn += 1) {
			host.ends.at(-1)!.resolve();
			await settled();
			await pass(6_000);
		}
		expect(new Set(host.batches.flat()).size).toBe(6_000);
		expect(host.batches.flat()).toHaveLength(6_000);
	});
});
