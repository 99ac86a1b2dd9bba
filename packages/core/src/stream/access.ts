import { ExchangeError, isExchangeError } from '../errors';
import type { Stream } from './contract';

/** The topic a test subscribes: it needs a key, and changes nothing. */
const TOPIC = 'user.orders';

/**
 * Checks that the stream of an account opens, after its key was checked by a read. Without the stream no order can be
 * cancelled or replaced and no event arrives, although everything else works. A key that may not read the topic has
 * opened the stream. `advice` is for a caller that reaches only one of the two addresses.
 *
 * @throws An {@link ExchangeError}: `unreachable`, which says that it is the stream; `unauthorized` for a refused key.
 */
export async function checkStream(
	stream: Pick<Stream, 'subscribe'>,
	signal: AbortSignal,
	advice: string,
): Promise<void> {
	const silent = new ExchangeError('unreachable', {
		what: 'The Service Address answers and takes the key, but the Stream Address does not',
		advice,
	});
	const subscription = stream.subscribe({ topics: [TOPIC], deliver: () => Promise.resolve() });
	const late = new Promise<never>((_, reject) =>
		signal.addEventListener('abort', () => reject(silent), { once: true }),
	);
	try {
		await Promise.race([subscription.ready, late]);
	} catch (error) {
		if (!isExchangeError(error) || error.code === 'unauthorized') throw error;
		if (error.code !== 'forbidden') throw silent;
	} finally {
		await subscription.close();
	}
}
