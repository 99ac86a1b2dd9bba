import { join } from 'node:path';
import { startSandbox } from '../../../packages/sandbox/src';
import { stopwatch, type Contestant, type Sample } from '../../area';
import { deposit, temporary, TURN } from './start';

/** Finished orders that a smoke run makes; a run makes as many as the step says. */
const SMOKE_ORDERS = 100;
const collectGarbage = (globalThis as { gc?: () => void }).gc;

const order = (side: 'buy' | 'sell') => ({
	...{ pair_id: 'USD/NGN', side, order_type: 'limit', quantity: '1.00', price: '1500.00' },
});

/** Finished before anything is measured, while the compiler of the engine still learns what is done. */
const WARM_UP = 10_000;

/** Orders of two accounts that fill each other at once, and what the process holds of them afterwards. */
export const finishing = (count: number): Contestant => ({
	title: `ours, ${count} finished orders`,
	run: async (scale) => {
		const total = scale === 1 ? count : SMOKE_ORDERS;
		await finish(Math.min(WARM_UP, total));
		const sample = await finish(total);
		collectGarbage?.();
		return { ...sample, megabytes: process.memoryUsage().heapUsed / 2 ** 20 };
	},
});

async function finish(total: number): Promise<Sample> {
	const data = join(temporary(), 'exchange.db');
	const sandbox = await startSandbox({ data, clock: 'virtual', marketMaker: false, settings: { orderDelayMs: 0 } });
	const { exchange, engine } = sandbox;
	for (const accountId of ['trader', 'second'])
		for (const currency of ['NGN', 'USD']) exchange.apply(deposit(accountId, currency));
	engine.advanceTo(engine.state.now + 1_000);
	const end = stopwatch();
	for (let index = 0; index < total; index += 1) {
		const [accountId, side] = index % 2 === 0 ? (['trader', 'buy'] as const) : (['second', 'sell'] as const);
		const action = { kind: 'order_create', accountId, fields: order(side), key: `key-${index}` } as const;
		exchange.apply({ ...action, fingerprint: `order ${index}` });
		engine.advanceTo(engine.state.now + 1);
		if (index % TURN === 0) await new Promise(setImmediate);
	}
	const sample = end(total);
	await sandbox.close();
	return sample;
}
