import type { Item } from '@partner-exchange/core';
import { READ_EVERY_MS } from '../../../packages/core/src/stream/limits';
import { fill, openStage, order } from './stage';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const ROWS = 1_000;

/** How services write the time of a row, and how wrong the clock of this machine may be. */
const services: Record<string, { setByMs?: number; everyMs?: number; write(at: number): unknown }> = {
	'on a machine five minutes behind': { setByMs: -5 * MINUTE_MS, write: iso },
	'on a machine four hours behind': { setByMs: -4 * HOUR_MS, everyMs: MINUTE_MS, write: iso },
	'on a machine four hours ahead': { setByMs: 4 * HOUR_MS, write: iso },
	'with times of Lagos without a zone': { write: (at) => iso(at + HOUR_MS).slice(0, -1) },
	'with times in seconds': { write: (at) => Math.floor(at / 1_000) },
	'with times in milliseconds': { write: (at) => at },
	'with times in microseconds': { write: (at) => at * 1_000 },
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

	it('a first start on a wrong clock delivers no order that ended before, and every later one', async () => {
		const stage = open((id, created_at) => order(id, 'filled', '30', { created_at }), 'order.list');
		const seen = stage.consume({ topics: ['user.orders'] });
		await seen.subscription.ready;
		await stage.pass(2 * MINUTE_MS);
		stage.lists['order.list']!.unshift(stage.row('lost on the stream'));
		await stage.pass(2 * MINUTE_MS);
		expect(seen.keys()).toEqual(['order:lost on the stream:filled:30']);
	});
});

describe('a first start', () => {
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

describe('a list in which nothing happens any more', () => {
	it('reads the first page of a quiet list, a minute after it was read whole', async () => {
		const stage = openStage({ pageMax: 10 });
		const row = (id: string, agoMs = 0): Item => ({ ...fill(id), created_at: iso(stage.time.now() - agoMs) });
		stage.lists['fill.list'] = Array.from({ length: 200 }, (_, index) => row(`old-${index}`, index * MINUTE_MS));
		const seen = stage.consume({ topics: ['user.fills'], batchMax: 10_000 });
		await seen.subscription.ready;
		const quiet = async (minutes: number): Promise<void> => {
			for (let halves = 0; halves < 2 * minutes; halves += 1) {
				stage.sockets[0]!.say({ type: 'pong' });
				await stage.pass(MINUTE_MS / 2);
			}
		};
		await quiet(1);
		const burst = Array.from({ length: 5_000 }, (_, index) => row(`burst-${index}`, index * 10));
		stage.lists['fill.list'].unshift(...burst);
		await quiet(5);
		expect(seen.events).toHaveLength(burst.length);
		const before = stage.reads.length;
		await quiet(60);
		// Fifty settled rows in a row end each reading, on seven pages of ten that overlap.
		const readings = Math.ceil(HOUR_MS / (0.9 * READ_EVERY_MS));
		expect(stage.reads.length - before).toBeLessThanOrEqual(readings * 8);
	});
});
