import { inBackground } from '../../background';
import { ExchangeError } from '../../errors';
import type { Consumer } from '../contract';

/**
 * Wraps a consumer so that its callbacks cannot harm the shared stream: a consumer whose callback throws, now or by its
 * promise, is stopped with an error. A `deliver` that throws counts as a rejected delivery and is retried.
 */
export function guardedConsumer(consumer: Consumer, failed: (error: ExchangeError) => void): Consumer {
	let isBroken = false;

	function broken(name: string, error: unknown): void {
		if (isBroken) return;
		isBroken = true;
		failed(brokenConsumer(name, error));
	}

	const guarded =
		<A extends unknown[]>(name: string, callback: ((...args: A) => unknown) | undefined) =>
		(...args: A): void => {
			if (isBroken) return;
			try {
				const result = callback?.(...args);
				// Nobody else would hear of a promise that rejects, and the process would end.
				if (result instanceof Promise) inBackground(result.catch((error: unknown) => broken(name, error)));
			} catch (error) {
				broken(name, error);
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

/**
 * The message of the thrown error is not quoted, because it may contain secrets. The error itself is the caller's own, and
 * is handed back as the cause.
 */
function brokenConsumer(name: string, cause: unknown): ExchangeError {
	const error = new ExchangeError('invalid_input', {
		operation: 'Stream',
		what: `The consumer's ${name} failed with ${cause instanceof Error ? cause.name : 'no error object'}, so it was stopped`,
		advice: 'Correct the consumer and subscribe again; its checkpoint is kept',
	});
	return Object.defineProperty(error, 'cause', { value: cause });
}
