import { startSandbox } from '@partner-exchange/sandbox';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from '../support/folder';
import { AUTHORITY, startProxiedExchange } from '../support/connect-proxy';
import { forAll } from '../support/opened';

const run = promisify(execFile);

const script = (baseUrl: string): string => `
	import { isExchangeError } from '@partner-exchange/core';
	import { openAccount } from '@partner-exchange/core/node';
	const { client, stream, close } = openAccount({ environment: 'sandbox', baseUrl: '${baseUrl}', apiKey: 'sandbox-key' });
	const place = () => client.order.create({ pair_id: 'USD/NGN', side: 'buy', order_type: 'limit', quantity: '10', price: '1000' });
	const told = new Promise((resolve) => stream.subscribe({ topics: ['user.orders'], deliver: resolve }).ready.then(place));
	const [{ data }] = await told;
	const { status } = await client.order.cancel({ pair_id: 'USD/NGN', order_id: data.id }, { options: { wait: 'final' } });
	const refused = await client.order.get({ order_id: 'nobody' }).catch((error) => error);
	console.log(status, isExchangeError(refused, 'not_found'));
	await close();`;

describe('the core as modules', () => {
	const sandbox = forAll(() => startSandbox({ marketMaker: false }));
	let folder: string;
	beforeAll(async () => {
		folder = newFolder();
		mkdirSync(join(folder, 'node_modules/@partner-exchange'), { recursive: true });
		symlinkSync(resolve(__dirname, '../../packages/core'), join(folder, 'node_modules/@partner-exchange/core'));
	});

	async function bundled(name: string, text: string): Promise<string> {
		const [file, outfile] = [join(folder, `${name}.mjs`), join(folder, `${name}.bundled.mjs`)];
		writeFileSync(file, text);
		const { warnings } = await build({
			...{
				entryPoints: [file],
				outfile,
				bundle: true,
				minify: true,
				platform: 'node',
				format: 'esm',
				logLevel: 'silent',
			},
		});
		expect(warnings).toEqual([]);
		return outfile;
	}
	const printed = async (file: string, variables: Record<string, string> = {}): Promise<string> =>
		(await run(process.execPath, [file], { env: { ...process.env, ...variables } })).stdout.trim();

	it('trades, listens and cancels as a module, and in one file made by a bundler', async () => {
		const text = script(sandbox.baseUrl);
		writeFileSync(join(folder, 'plain.mjs'), text);
		expect(await printed(join(folder, 'plain.mjs'))).toBe('cancelled true');
		const file = await bundled('trade', text);
		expect(await printed(file)).toBe('cancelled true');
		expect(statSync(file).size).toBeLessThan(426_000);
	});

	it('reaches an exchange through a proxy in one file made by a bundler, though parts of axios are left out', async () => {
		const exchange = await startProxiedExchange();
		const file = await bundled('proxy', script(exchange.baseUrl).replace("'sandbox'", "'staging'"));
		const variables = { HTTPS_PROXY: exchange.proxy, NO_PROXY: '', NODE_EXTRA_CA_CERTS: AUTHORITY };
		expect(await printed(file, variables)).toBe('cancelled true');
		expect(new Set(exchange.tunnels)).toEqual(new Set(['exchange.test:443']));
		await exchange.close();
	});

	it('takes of the core what a sum needs, and no client', async () => {
		const file = await bundled('sum', `import { add } from '@partner-exchange/core'; console.log(add('0.1', '0.2'));`);
		expect(await printed(file)).toBe('0.3');
		expect(statSync(file).size).toBeLessThan(12_000);
	});

	it('knows an error of the other form of the core, loaded in the same process', async () => {
		const text = `
			import { createRequire } from 'node:module';
			import { ExchangeError, isExchangeError } from '@partner-exchange/core';
			const other = createRequire(import.meta.url)('@partner-exchange/core');
			const error = new other.ExchangeError('timeout', { what: 'It took too long' });
			console.log(isExchangeError(error, 'timeout'), error instanceof ExchangeError, isExchangeError(new Error('x')));`;
		writeFileSync(join(folder, 'both.mjs'), text);
		expect(await printed(join(folder, 'both.mjs'))).toBe('true true false');
	});
});
