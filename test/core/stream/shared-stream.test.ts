import type { Account, Stream } from '@partner-exchange/core';
import { createRegistry } from '@partner-exchange/core/testing';
import { printOf, printText } from '../../../packages/core/src/stream/keys';
import { virtualTime } from '../../simulation/support/time';
import { checkpointOf } from './checkpoint-stage';
import { ACCOUNT, data, fill, openStage } from './stage';

const FILLS = { topics: ['user.fills'] };

describe('sharing', () => {
	it('serves all subscribers over one connection, and one that leaves disturbs nobody (checklist 131)', async () => {
		const { sockets, consume, settled } = openStage();
		const all = Array.from({ length: 7 }, () => consume(FILLS));
		await Promise.all(all.map(({ subscription }) => subscription.ready));
		expect(sockets).toHaveLength(1);
		await all[0]!.subscription.close();
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		await settled();
		expect(all.map(({ events }) => events.length)).toEqual([0, 1, 1, 1, 1, 1, 1]);
		expect(sockets[0]!.sent.some(({ type }) => type === 'unsubscribe')).toBe(false);
	});

	it('gives a late subscriber what it missed, and nobody anything twice', async () => {
		const { sockets, consume, settled } = openStage();
		const early = consume(FILLS);
		await early.subscription.ready;
		sockets[0]!.say(data('user.fills', 1, fill('f1')));
		sockets[0]!.say(data('user.fills', 2, fill('f2')));
		const stored = checkpointOf({
			'user.fills': { epoch: 'e1', seq: 1, settled: 0, keys: printText(printOf('fill:f1:order-1')) },
		});
		const late = consume({ ...FILLS, checkpoint: stored });
		await late.subscription.ready;
		sockets[0]!.say(data('user.fills', 2, fill('f2')));
		await settled();
		expect([early.keys(), late.keys()]).toEqual([['fill:f1:order-1', 'fill:f2:order-1'], ['fill:f2:order-1']]);
	});

	it('reads once for all first starts, and gives each only the events since it joined', async () => {
		const { sockets, consume, settled, lists, reads, time } = openStage();
		lists['fill.list'] = [fill('f1')];
		const early = Array.from({ length: 50 }, () => consume(FILLS));
		await Promise.all(early.map(({ subscription }) => subscription.ready));
		sockets[0]!.say(data('user.fills', 1, fill('f2')));
		await settled();
		lists['fill.list'] = [fill('f2'), fill('f1')];
		const late = consume(FILLS);
		await late.subscription.ready;
		expect(reads.filter((id) => id === 'fill.list').length).toBeLessThanOrEqual(2);
		await time.run(time.now() + 120_000);
		sockets.at(-1)!.say(data('user.fills', 2, fill('f3')));
		await settled();
		expect(new Set(early.map(({ keys }) => keys().join()))).toEqual(new Set(['fill:f2:order-1,fill:f3:order-1']));
		expect(late.keys()).toEqual(['fill:f3:order-1']);
	});

	it('reads again for a subscriber that joins after the connection was gone', async () => {
		const { sockets, consume, settled, lists, time } = openStage();
		const early = consume(FILLS);
		await early.subscription.ready;
		sockets[0]!.close();
		lists['fill.list'] = [fill('missed')];
		await time.run(time.now() + 40_000);
		const late = consume(FILLS);
		await late.subscription.ready;
		await time.run(time.now() + 120_000);
		await settled();
		expect([early.keys(), late.keys()]).toEqual([['fill:missed:order-1'], []]);
	});

	it('shares one stream per account, and closes it a while after the last subscriber left', async () => {
		const time = virtualTime();
		const registry = createRegistry(time);
		const closed: string[] = [];
		const make = (name: string) => () => ({ close: async () => void closed.push(name) }) as unknown as Stream;
		const other: Account = { ...ACCOUNT, apiKey: 'another-key' };
		const [first, second, third] = [
			registry.share(ACCOUNT, make('one')),
			registry.share({ ...ACCOUNT }, make('two')),
			registry.share(other, make('three')),
		];
		expect(second.stream).toBe(first.stream);
		expect(third.stream).not.toBe(first.stream);
		first.release();
		first.release();
		await time.run(time.now() + 60_000);
		expect(closed).toEqual([]);
		second.release();
		await time.run(time.now() + 20_000);
		const back = registry.share(ACCOUNT, make('four'));
		expect(back.stream).toBe(first.stream);
		await time.run(time.now() + 60_000);
		expect(closed).toEqual([]);
		back.release();
		await time.run(time.now() + 31_000);
		expect(closed).toEqual(['one']);
		await registry.close();
		expect(closed).toEqual(['one', 'three']);
	});

	it('shares a stream only between accounts that are alike in everything, their wire names included', () => {
		const registry = createRegistry(virtualTime());
		const make = () => ({ close: () => Promise.resolve() }) as unknown as Stream;
		const named = { ...ACCOUNT, names: { 'stream.resume': 'from' } };
		expect(registry.find(ACCOUNT)).toBeUndefined();
		const [plain, other] = [registry.share(ACCOUNT, make).stream, registry.share(named, make).stream];
		expect(other).not.toBe(plain);
		expect([registry.find({ ...ACCOUNT, names: {} }) === plain, registry.find(named) === other]).toEqual([true, true]);
	});
});
