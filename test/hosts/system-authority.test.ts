/** A process that trusts the authorities of its system: the exchange behind the proxy has a certificate of a private one. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AUTHORITY, startProxiedExchange } from '../support/connect-proxy';
import { forAll } from '../support/opened';

const CORE = join(__dirname, '../../packages/core/dist/node.js');

const script = `
	const { openAccount } = require(${JSON.stringify(CORE)});
	const { BASE_URL: baseUrl, WS_URL: wsUrl } = process.env;
	const { client, stream, close } = openAccount({ environment: 'staging', baseUrl, wsUrl, apiKey: 'sandbox-key' });
	const subscription = stream.subscribe({ topics: ['user.fills'], deliver: async () => undefined });
	Promise.allSettled([client.call('wallet.balances', {}, { retries: 0 }), subscription.ready]).then(async (settled) => {
		console.log(settled.map(({ status, reason }) => reason?.message ?? status).join('\\n'));
		await close();
	});
`;

describe('a script with NODE_USE_SYSTEM_CA=1', () => {
	const exchange = forAll(() => startProxiedExchange());

	const run = async (env: NodeJS.ProcessEnv): Promise<string[]> => {
		const { proxy, baseUrl, wsUrl } = exchange;
		const own = { HTTPS_PROXY: proxy, BASE_URL: baseUrl, WS_URL: wsUrl, SSL_CERT_FILE: AUTHORITY, ...env };
		const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], { env: own });
		return stdout.trim().split('\n');
	};

	it('trusts what its system trusts, for requests and for the stream', async () => {
		expect(await run({ NODE_USE_SYSTEM_CA: '1' })).toEqual(['fulfilled', 'fulfilled']);
	});

	it('names the certificate it does not trust where it is not told to trust the system', async () => {
		const untrusted = expect.stringContaining('The certificate of exchange.test is not trusted') as string;
		expect(await run({})).toEqual([untrusted, untrusted]);
	});
});
