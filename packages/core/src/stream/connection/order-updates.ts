import { inBackground, tell } from '../../background';
import { ExchangeError, isExchangeError } from '../../errors';
import { deadline, type Clock } from '../../ports';
import type { Item } from '../../wire/payload';
import type { Consumer, StreamEvent, Subscription } from '../contract';
import { COMMAND_MS_MAX, ORDERS_KEPT_MS } from '../limits';

/** Subscribes `user.orders` while commands are sent or an order is awaited. It asks for no reads. */
export interface OrderUpdates {
	/** A listener that fails harms neither the others nor the subscriptions. */
	follow(listener: (order: Item) => unknown): () => void;
	/** Resolves when `user.orders` is subscribed, as it must be before any command is sent. (Interface, part 6.) */
	ready(signal?: AbortSignal): Promise<void>;
	close(): void;
}

export interface OrderUpdatesPorts {
	clock: Clock;
	/** `onRefused` of this consumer is called for a failed first connection, too. */
	subscribe(consumer: Consumer, hears: { holds: boolean }): Subscription;
}

const orders = { topics: ['user.orders'], retriesFirstConnection: true, batchMax: 1_000 };

export function createOrderUpdates({ clock, subscribe }: OrderUpdatesPorts): OrderUpdates {
	/** The subscription of the commands of the last minute. */
	let kept: Subscription | undefined;
	let cancelKeep: (() => void) | undefined;
	/** Why it could not be subscribed, as the latest refusal said. */
	let refusal: ExchangeError | undefined;
	const waiting = new Set<(error: ExchangeError) => void>();

	function drop(): void {
		cancelKeep?.();
		if (kept) inBackground(kept.close());
		cancelKeep = kept = refusal = undefined;
	}

	function keep(): Subscription {
		cancelKeep?.();
		cancelKeep = clock.after(ORDERS_KEPT_MS, drop);
		const consumer: Consumer = {
			...orders,
			deliver: () => Promise.resolve(),
			onRefused: (error) => {
				refusal = error;
				waiting.forEach((refuse) => refuse(error));
			},
			// The next command asks again.
			onFailed: drop,
		};
		return (kept ??= subscribe(consumer, { holds: false }));
	}

	return {
		follow: (onOrder) => {
			// Without a key, or on a closed stream, no updates arrive. That is no error, because nobody relies on them.
			const deliver = async (events: StreamEvent[]) => events.forEach(({ data }) => tell(() => onOrder(data as Item)));
			const { close } = subscribe({ ...orders, deliver }, { holds: true });
			return () => inBackground(close());
		},
		ready: async (signal) => {
			const { ready } = keep();
			const limit = deadline(clock, COMMAND_MS_MAX, signal);
			let refuse!: (error: ExchangeError) => void;
			const refused = new Promise<never>((_, reject) => waiting.add((refuse = reject)));
			try {
				await Promise.race([ready, refused, limit.reached]);
			} catch (error) {
				throw isExchangeError(error) ? error : (limit.isOver() && refusal) || notReady(limit.isOver());
			} finally {
				waiting.delete(refuse);
				limit.clear();
			}
		},
		close: drop,
	};
}

const notReady = (isLate: boolean): ExchangeError =>
	isLate
		? new ExchangeError('stream_closed', { operation: 'Stream', what: 'The stream is not connected; nothing was sent' })
		: new ExchangeError('aborted', { operation: 'Stream', what: 'It was stopped before the command was sent' });
