import { itemsIn, orderIdOf, orderIn, textOf, type Item } from '../wire/payload';
import type { Clock } from '../ports';

/** Calls the listener with each payload of `user.orders`; answers how to stop that. */
export type OrderEvents = (listener: (data: unknown) => void) => () => void;

/** Calls back when the stream names one order. A hint only: the order itself is read. */
export type WakeupSource = (listener: () => void) => () => void;

/** A stream as a source of hints; it follows the order updates while somebody listens. */
export const orderEventsOf =
	(stream: () => { onOrderUpdate: OrderEvents }): OrderEvents =>
	(listener) =>
		stream().onOrderUpdate(listener);

/** The hints about one order, by whichever of its names the stream uses. */
export const wakeupsFor = (
	events: OrderEvents | undefined,
	names: readonly (string | undefined)[],
): WakeupSource | undefined =>
	events &&
	((listener) => events((data) => void (ordersIn(data).some((order) => isNamed(order, names)) && listener())));

const ordersIn = (data: unknown): Item[] => {
	const order = orderIn(data);
	return order && orderIdOf(order) !== undefined ? [order] : itemsIn(data, 'orders');
};

const isNamed = (order: Item, names: readonly (string | undefined)[]): boolean =>
	[orderIdOf(order), textOf(order, 'client_order_id')].some((name) => name !== undefined && names.includes(name));

/** A pause that a hint cuts short. A hint that comes at another time cuts the next pause. */
export interface Wakeup {
	/** Resolves at the first hint, after the delay, or when stopped. */
	orAfter(delayMs: number, clock: Clock, signal: AbortSignal | undefined): Promise<void>;
	/** Whether it rang since this was last asked. */
	rang(): boolean;
	close(): void;
}

export function wakeup(hints: WakeupSource | undefined): Wakeup {
	let rung = false;
	let wake: (() => void) | undefined;
	const close = hints?.(() => {
		rung = true;
		wake?.();
	});
	return {
		orAfter: (delayMs, clock, signal) =>
			new Promise((resolve) => {
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
			}),
		rang: () => {
			const was = rung;
			rung = false;
			return was;
		},
		close: () => close?.(),
	};
}
