import { getEventListeners } from 'node:events';
import { intentKey } from '../../../packages/core/src/wire/intent-key';
import { wakeup, wakeupsFor, type OrderEvents } from '../../../packages/core/src/orders/wakeup';
import { quickClock } from '../../support/wire';

type Names = Parameters<typeof wakeupsFor>[1];

/** Which of these stream payloads refer to an order under one of these names. */
function heard(payloads: unknown[], names: Names = { orderId: 'o1', clientOrderId: 'mine' }): unknown[] {
	let tell: (data: unknown) => void = () => undefined;
	const events: OrderEvents = (listener) => ((tell = listener), () => undefined);
	let rings = 0;
	wakeupsFor(events, names)!(() => void (rings += 1));
	return payloads.filter((payload) => {
		const before = rings;
		tell(payload);
		return rings > before;
	});
}

describe('a hint of the stream', () => {
	it('matches a hint of the stream to an order by its ID or its name, wherever they stand', () => {
		const ours = [
			...[{ id: 'o1' }, { order_id: 'o1' }, { order: { id: 'o1' } }, { id: 'o9', client_order_id: 'mine' }],
			...[[{ id: 'o1' }], { orders: [{ id: 'o2' }, { id: 'o1' }] }],
		];
		expect(heard(ours)).toEqual(ours);
		expect(heard([{ id: 'o2' }, { orders: [{ id: 'o2' }] }, {}, null, 'o1', { client_order_id: 'theirs' }])).toEqual(
			[],
		);
	});

	it('matches a hint to an order whose name the service shows in another case or cuts short', () => {
		const clientOrderId = `${intentKey('create', 'job')}_job`;
		const orders = [clientOrderId.toUpperCase(), clientOrderId.slice(0, 36)].map((name) => ({
			id: 'o9',
			client_order_id: name,
		}));
		expect(heard(orders, { clientOrderId })).toEqual(orders);
	});

	it('matches no hint to an order whose ID and name are unknown', () => {
		expect(heard([{ id: 'o1' }, {}, { status: 'filled' }, { orders: [{}] }], {})).toEqual([]);
	});

	it('waits for an order without hints where there is no stream', () => {
		expect(wakeupsFor(undefined, { orderId: 'o1' })).toBeUndefined();
	});
});

describe('a pause that a hint cuts short', () => {
	const clock = quickClock();

	it('pauses for the full time where no hint comes', async () => {
		const pause = wakeup(undefined);
		await pause.orAfter(70, clock, undefined);
		expect(clock.waited).toEqual([70]);
		expect(pause.rang()).toBe(false);
		pause.close();
	});

	it('ends a pause with a hint, also with one that came before it, once', async () => {
		let hint: () => void = () => undefined;
		let closed = 0;
		const pause = wakeup((listener) => ((hint = listener), () => void (closed += 1)));
		const standing = { ...clock, after: () => () => undefined };
		const under = pause.orAfter(1, standing, undefined);
		hint();
		await under;
		await pause.orAfter(1, standing, undefined);
		expect([pause.rang(), pause.rang()]).toEqual([true, false]);
		hint();
		await pause.orAfter(1, standing, undefined);
		pause.close();
		expect(closed).toBe(1);
	});

	it('ends a pause when the call is stopped, and removes its listeners', async () => {
		const stop = new AbortController();
		let cancelled = 0;
		const standing = { ...clock, after: () => () => void (cancelled += 1) };
		const pause = wakeup(undefined);
		const under = pause.orAfter(1, standing, stop.signal);
		stop.abort();
		await under;
		await pause.orAfter(1, standing, stop.signal);
		expect(cancelled).toBe(1);
		const { signal } = new AbortController();
		await pause.orAfter(1, quickClock(), signal);
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});
});
