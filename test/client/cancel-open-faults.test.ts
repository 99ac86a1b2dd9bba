/** Cancel Open Orders under each fault of the sandbox, with the stop switch thrown and pressed twice. */
import { createAccountLimits, createClient, createAccountMemory, createStream } from '@partner-exchange/core';
import { nodePorts, systemClock } from '@partner-exchange/core/node';
import { startSandbox } from '@partner-exchange/sandbox';
import type { FaultRequest } from '../../packages/sandbox/src/server/faults';
import { accountOf, errorOf, ordersIn } from '../support/placing';
import { fastClock } from '../support/wire';

const resting = { pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10.00' } as const;
/** Answers that no further try mends. */
const hopeless = ['unauthorized', 'forbidden'] as const;
const mended = ['refuse', 'commit-then-drop', 'too-many-requests', 'drop-stream', 'refuse-stream'];
/** Each meets what asks first, which is a list; these meet the cancels as well. */
const ofCancels = ['commit-then-drop', 'drop-before-commit', 'commit-then-hang'];
const everywhere: [kind: string, of: string, operation?: string][] = [
	...mended.map((kind) => [kind, 'what asks first'] as [string, string]),
	...ofCancels.map((kind) => [kind, 'cancels', 'order.cancel'] as [string, string, string]),
];

/** Time runs ten times as fast, so that what never answers is given up in a second. */
const ports = { ...nodePorts(), clock: fastClock };

/** Three open orders, and what presses the button while the stop switch is on. */
async function open() {
	const sandbox = await startSandbox({ settings: { orderDelayMs: 0 } });
	const account = accountOf(sandbox);
	const placing = createClient(account, nodePorts());
	for (const price of ['1000.00', '999.00', '998.00'])
		await placing.order.create({ ...resting, price }, { options: { wait: 'accepted' } });
	const stream = createStream({ ...ports, account, client: placing });
	const limits = createAccountLimits(systemClock);
	limits.stop('by hand');
	const client = createClient(account, ports, {
		...{ commands: () => stream, orderEvents: (listener) => stream.onOrderUpdate(listener) },
		...{ limits, memory: createAccountMemory() },
	});
	await expect(client.order.create({ ...resting, price: '1.00' })).rejects.toMatchObject({ code: 'not_available' });
	const close = async () => {
		await stream.close();
		await sandbox.close();
	};
	const statuses = () => ordersIn(sandbox).map(({ status }) => status);
	return { ...{ client, close, statuses }, arm: (fault: object) => sandbox.faults.arm(fault as FaultRequest) };
}

describe('Cancel Open Orders under a fault, with the stop switch on', () => {
	it.concurrent.each(everywhere)(
		'cancels everything once under the fault %s of %s, though it is pressed twice',
		async (kind, _, operation) => {
			const { client, close, statuses, arm } = await open();
			arm({ kind, operation, times: 2, ...(kind.endsWith('delay') ? { delayMs: 1_500 } : {}) });
			const press = () => client.order.cancelAll({}, { options: { wait_seconds: 600 } });
			const [first, second] = await Promise.all([press(), press()]);
			expect(second).toBe(first);
			const { orders, still_open, problem } = first;
			expect({ still_open, problem }).toEqual({ still_open: 0, problem: null });
			expect(orders.map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled', 'cancelled']);
			expect(statuses()).toEqual(['cancelled', 'cancelled', 'cancelled']);
			await close();
		},
	);

	it.concurrent.each(hopeless)('says at once that the key is not accepted under the fault %s', async (kind) => {
		const { client, close, statuses, arm } = await open();
		arm({ kind, operation: 'order.list', times: 1_000 });
		expect(await errorOf(client.order.cancelAll({}))).toMatchObject({ code: kind });
		expect(statuses()).toEqual(['accepted', 'accepted', 'accepted']);
		await close();
	});
});
