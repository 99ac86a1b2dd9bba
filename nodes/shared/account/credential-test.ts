import { createAccountLimits, createClient, createStream, isExchangeError } from '@partner-exchange/core';
import { applyLimits, checkAccess, checkStream, readLimits } from '@partner-exchange/core/adapters';
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';
import { hostClock } from '../host/clock';
import type { HttpHost } from '../host/egress';
import { BEHIND_A_PROXY } from '../host/errors';
import { hostPorts } from '../host/ports';
import { accountIn } from './connection';
import { withoutSections } from './credential-form';

/** A user is waiting for the result of the test. */
const TEST_MS_MAX = 5_000;

const ADVICE = `Check the Stream Address. ${BEHIND_A_PROXY}. Until then no order can be cancelled or replaced, and no event arrives`;

/**
 * Says whether a credential works, telling a wrong address, a wrong key, a key without access and a stream that does not
 * open apart.
 */
async function testCredential(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	try {
		const data = withoutSections(credential.data ?? {});
		applyLimits(createAccountLimits(hostClock), readLimits(data));
		const host = hostOf(this);
		const client = createClient(accountIn(data), hostPorts(host), { isForm: true });
		const outcome = await checkAccess(client, { signal: AbortSignal.timeout(TEST_MS_MAX) });
		const { account } = client;
		const stream = createStream({ ...hostPorts(host), account, client, isForm: true });
		await checkStream(stream, AbortSignal.timeout(TEST_MS_MAX), ADVICE).finally(() => stream.close());
		if (outcome === 'noWallet') return { status: 'OK', message: NO_WALLET };
		return { status: 'OK', message: `The key opens the ${client.account.environment} environment` };
	} catch (error) {
		return { status: 'Error', message: isExchangeError(error) ? error.message : 'The test could not be carried out' };
	}
}

/** A key may lack the wallet by intention. An account that is not ready is refused in the same way. (Interface, part 5.) */
const NO_WALLET = 'The key is right, but it may not read the wallet, or the account is not ready';

/** By the name the nodes give it where they say what tests their credential. */
export const credentialTest = { testCredential };

/** n8n gives credential tests only its older HTTP helper, whose options have other names. */
const hostOf = ({ helpers }: ICredentialTestFunctions): HttpHost => ({
	helpers: {
		httpRequest: async ({ url, method, headers, timeout }: IHttpRequestOptions): Promise<unknown> =>
			await helpers.request({
				uri: url,
				method,
				headers,
				timeout,
				followRedirect: false,
				simple: false,
				resolveWithFullResponse: true,
				useStream: true,
			}),
	},
});
