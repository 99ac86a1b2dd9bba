import type { Clock } from '../ports';
import { isSameId, itemsIn, orderIdOf, orderIn, type Item } from '../wire/payload';
import { isUnder } from './log/evidence';

/** Calls the listener with each payload of `user.orders`; returns the function that unsubscribes. */
export type OrderEvents = (listener: (data: unknown) => void) => () => void;

/** Calls back when the stream names an order. This is only a wakeup: the state of the order is read over REST. */
export type WakeupSource = (listener: () => void) => () => void;

/** The wakeups of one order, matched by any of its identifiers. */
export function wakeupsFor(
	events: OrderEvents | undefined,
	{ orderId, clientOrderId }: { orderId?: string; clientOrderId?: string },
): WakeupSource | undefined {
	const isNamedSo = clientOrderId === undefined ? () => false : isUnder(clientOrderId);
	const isMeant = (order: Item): boolean =>
		(orderId !== undefined && isSameId(orderIdOf(order), orderId)) || isNamedSo(order);
	return events && ((listener) => events((data) => void (ordersIn(data).some(isMeant) && listener())));
}

const ordersIn = (data: unknown): Item[] => {
	const order = orderIn(data);
	return order && orderIdOf(order) !== undefined ? [order] : itemsIn(data, 'orders');
};

export type Wakeup = ReturnType<typeof wakeup>;

/** A pause that a wakeup ends early. A wakeup outside a pause ends the next one. */
export function wakeup(hints: WakeupSource | undefined) {
	let rung = false;
	let wake: (() => void) | undefined;
	const close = hints?.(() => {
		rung = true;
		wake?.();
	});
	return {
		/** Resolves at the first wakeup, after the delay, or when stopped, with whether there was a wakeup since the last pause. */
		orAfter: async (delayMs: number, clock: Clock, signal: AbortSignal | undefined): Promise<boolean> => {
			await new Promise<void>((resolve) => {
				if (rung || signal?.aborted) return resolve();
				const cancel = clock.after(delayMs, finish);
				signal?.addEventListener('abort', finish, { once: true });
				wake = finish;
				function finish() {
					cancel();
					signal?.removeEventListener('abort', finish);
					wake = undefined;
					resolve();
				}
			});
			const was = rung;
			rung = false;
			return was;
		},
		close: () => close?.(),
	};
}
