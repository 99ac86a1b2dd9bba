import { ExchangeError } from '../../errors';
import type { Consumer } from '../contract';

/**
 * A consumer whose callbacks cannot harm the stream, which others use too: one that throws is stopped, with the reason.
 * A delivery that throws is one the host did not take, and is repeated like any other.
 */
export function guardedConsumer(consumer: Consumer, failed: (error: ExchangeError) => void): Consumer {
	let isBroken = false;

	const guarded =
		<A extends unknown[]>(name: string, callback: ((...given: A) => void) | undefined) =>
		(...given: A): void => {
			if (isBroken) return;
			try {
				callback?.(...given);
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

/** What the host threw is not quoted: it may hold anything. */
const brokenConsumer = (name: string, error: unknown): ExchangeError =>
	new ExchangeError('invalid_input', {
		operation: 'Stream',
		what: `The consumer's ${name} failed with ${error instanceof Error ? error.name : 'no error object'}, so it was stopped`,
		advice: 'Correct the consumer and subscribe again; its checkpoint is kept',
	});
