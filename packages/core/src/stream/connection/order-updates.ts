import { tell } from '../../background';
import { isItem, type Item } from '../../wire/payload';
import { ExchangeError, isExchangeError } from '../../errors';
import { deadline, type Clock } from '../../ports';
import { COMMAND_MS_MAX, ORDERS_KEPT_MS } from '../limits';

/** Keeps `user.orders` subscribed while commands are sent or an order is awaited. */
export interface OrderUpdates {
	/** Events of any topic arrived; those of orders are updates. */
	publish(events: readonly { order?: unknown; data: unknown }[]): void;
	/** A listener that fails harms neither the others nor the subscriptions. */
	follow(listener: (order: Item) => unknown): () => void;
	/** Resolves when `user.orders` is subscribed, as it must be before any command is sent. (Interface, part 6.) */
	ready(signal?: AbortSignal): Promise<void>;
	isWanted(): boolean;
	close(): void;
}

export interface OrderUpdatesPorts {
	clock: Required<Clock>;
	/** Subscribes `user.orders` if necessary; resolves when the topic is confirmed. */
	acquire(): Promise<void>;
	/** Releases the subscription. */
	release(): void;
	/** Receives every order update there is, whoever it was subscribed for. */
	orderShown?: (order: Item) => void;
}

export function createOrderUpdates({ clock, acquire, release, orderShown }: OrderUpdatesPorts): OrderUpdates {
	/** Each with what lets the process end without it. */
	const listeners = new Map<(order: Item) => unknown, () => void>();
	let cancelKeep: (() => void) | undefined;

	function keep(): void {
		cancelKeep?.();
		cancelKeep = clock.after(ORDERS_KEPT_MS, () => {
			cancelKeep = undefined;
			release();
		});
	}

	return {
		publish: (events) => {
			if (listeners.size === 0 && !orderShown) return;
			for (const { order, data } of events) {
				if (!order || !isItem(data)) continue;
				tell(() => orderShown?.(data));
				for (const listener of listeners.keys()) tell(() => listener(data));
			}
		},
		follow: (onOrder) => {
			// A wrapper for each call, so that one function can listen twice.
			const listener = (order: Item) => onOrder(order);
			listeners.set(listener, clock.hold());
			// Without a key, or on a closed stream, no updates arrive. That is no error: nobody relies on them.
			acquire().catch(() => undefined);
			return () => {
				listeners.get(listener)?.();
				listeners.delete(listener);
				release();
			};
		},
		ready: async (signal) => {
			keep();
			const confirmation = acquire();
			const limit = deadline(clock, COMMAND_MS_MAX, signal);
			try {
				await Promise.race([confirmation, limit.reached]);
			} catch (error) {
				throw isExchangeError(error) ? error : notReady(limit.isOver());
			} finally {
				limit.clear();
			}
		},
		isWanted: () => listeners.size > 0 || cancelKeep !== undefined,
		close: () => {
			listeners.forEach((letGo) => letGo());
			listeners.clear();
			cancelKeep?.();
			cancelKeep = undefined;
		},
	};
}

const notReady = (isLate: boolean): ExchangeError =>
	isLate
		? new ExchangeError('stream_closed', { operation: 'Stream', what: 'The stream is not connected; nothing was sent' })
		: new ExchangeError('aborted', { operation: 'Stream', what: 'It was stopped before the command was sent' });
