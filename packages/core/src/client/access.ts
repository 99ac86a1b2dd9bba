import { operationIds, operationOf } from '../catalogue';
import type { CallContext } from '../context';
import { ExchangeError, factsIn, isExchangeError } from '../errors';
import type { UntypedClient } from './contract';

/** The read that checks a key: it needs no input and changes nothing. */
const read = operationIds.find((id) => {
	const { access, input } = operationOf(id);
	return access === 'walletRead' && Object.keys(input).length === 0;
})!;

/** The read names no record, so what is not found is its path. */
const noSuchPath = {
	what: 'A service answers there, and does not know the paths of the exchange',
	advice: 'Check the address: it is the one the provider gave, up to and with /v1',
};

/**
 * Checks an account by one read. `noWallet`: the key is right, but it may not read the wallet. The service checks a key
 * before its permissions, so a 403 proves that the key is valid.
 *
 * @throws An {@link ExchangeError}: the codes of {@link Client.call}, such as `unauthorized` for a wrong key and
 * `unreachable` for a wrong address.
 */
export async function checkAccess(
	client: Pick<UntypedClient, 'call'>,
	context: Pick<CallContext, 'signal'>,
): Promise<'connected' | 'noWallet'> {
	try {
		await client.call(read, {}, context);
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		if (error.code === 'forbidden') return 'noWallet';
		// A person tests an account here, and has asked for nothing by the name of this read. What answers at an address that
		// anybody may enter is not quoted: it could be a private server of the host's network.
		const facts = { ...factsIn(error), operation: undefined, serviceMessage: undefined };
		throw new ExchangeError(error.code, error.code === 'not_found' ? { ...facts, ...noSuchPath } : facts);
	}
	return 'connected';
}
