import { ExchangeError } from '../../errors';
import type { Consumer } from '../contract';

/**
 * Wraps a consumer so that its callbacks cannot harm the shared stream: a consumer whose callback throws is stopped
 * with an error. A `deliver` that throws counts as a rejected delivery and is retried.
 */
export function guardedConsumer(consumer: Consumer, failed: (error: ExchangeError) => void): Consumer {
	let isBroken = false;

	const guarded =
		<A extends unknown[]>(name: string, callback: ((...args: A) => void) | undefined) =>
		(...args: A): void => {
			if (isBroken) return;
			try {
				callback?.(...args);
			} catch (error) {
				isBroken = true;
				failed(brokenConsumer(name, error));
			}
		};

	return {
		...consumer,
		deliver: consumer.deliver.bind(consumer),
		onCheckpoint: guarded('onCheckpoint', consumer.onCheckpoint?.bind(consumer)),
		onRefused: guarded('onRefused', consumer.onRefused?.bind(consumer)),
		onNotice: guarded('onNotice', consumer.onNotice?.bind(consumer)),
	};
}

/** The message of the thrown error is not quoted, because it may contain secrets. */
const brokenConsumer = (name: string, error: unknown): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: 'Stream',
		what: `The consumer's ${name} failed with ${error instanceof Error ? error.name : 'no error object'}, so it was stopped`,
		advice: 'Correct the consumer and subscribe again; its checkpoint is kept',
	});
