import { createExchange } from '@partner-exchange/sandbox';
import type { Sandbox } from '@partner-exchange/sandbox';
import { place, sandboxFor } from './connection';

/**
 * After a reset, or a restart without a data file, the exchange is another one: nothing of one may be taken for the
 * other.
 */

const tradesOf = ({ engine }: Pick<Sandbox, 'engine'>) => engine.state.markets.get('USD/NGN')!.trades;
const figures = ({ engine }: Pick<Sandbox, 'engine'>) =>
	tradesOf({ engine }).map(({ price, quantity }) => [price, quantity]);

describe('a run', () => {
	it('repeats the prices of its seed under ids and an epoch that no other run has', async () => {
		const runs = [await sandboxFor({ marketMaker: true }), await sandboxFor({ marketMaker: true })] as const;
		for (const run of runs) run.advance(60_000);
		expect(tradesOf(runs[0]).length).toBeGreaterThan(20);
		expect(figures(runs[0])).toEqual(figures(runs[1]));
		const earlier = new Set(tradesOf(runs[0]).map(({ id }) => id));
		expect(tradesOf(runs[1]).filter(({ id }) => earlier.has(id))).toEqual([]);
		expect(runs[0].engine.events.epoch).not.toBe(runs[1].engine.events.epoch);
	});

	it('begins other orders, trades and an epoch after a reset', async () => {
		const sandbox = await sandboxFor({ marketMaker: true });
		const [order, epoch] = [await place(sandbox), sandbox.engine.events.epoch];
		sandbox.advance(60_000);
		const earlier = new Set([String(order.id), ...tradesOf(sandbox).map(({ id }) => id)]);
		sandbox.reset();
		const again = await place(sandbox);
		sandbox.advance(60_000);
		expect([String(again.id), ...tradesOf(sandbox).map(({ id }) => id)].filter((id) => earlier.has(id))).toEqual([]);
		expect(sandbox.engine.events.epoch).not.toBe(epoch);
	});

	it('repeats the same ids in a run of the same name', async () => {
		const ids = async () => {
			const sandbox = await sandboxFor({ run: '0000000000a1' });
			return (await place(sandbox)).id;
		};
		expect(await ids()).toBe(await ids());
		expect(await ids()).toMatch(/-0000000000a1$/);
		await expect(sandboxFor({ run: 'mine' })).rejects.toThrow('twelve hexadecimal digits');
	});

	it('continues in a new epoch when its state was saved', () => {
		const first = createExchange({ run: '0000000000b2' });
		const second = createExchange({ state: first.engine.state as never });
		second.engine.reopen(second.engine.state.now + 1_000);
		expect(second.engine.state.run).toBe('0000000000b2');
		expect(second.engine.events.epoch).toBe('0000000000b2-2');
	});
});
