import { createServer } from 'node:http';
import { join } from 'node:path';
import { newFolder } from '../support/folder';
import { openPort } from '../support/loopback';
import { readOptions } from '../../packages/sandbox/src/flags';
import { until } from '../support/condition';
import { bundle, run, watch } from './program';

let folder: string;
let program: string;
beforeAll(() => {
	folder = newFolder();
	program = bundle('packages/sandbox/src/cli.ts', join(folder, 'cli.cjs'));
});

const finished = async (argv: string[], env = {}) => {
	const { output, ended } = watch(run(program, argv, env));
	return { code: await ended, output: output() };
};

describe('partner-exchange-sandbox', () => {
	it('starts, prints its addresses, answers, and stops cleanly on a signal', async () => {
		const child = run(program, ['--port', '0', '--data', join(folder, 'exchange.sqlite'), '--log']);
		const { output, ended } = watch(child);
		const banner = await until(() => output().includes('Ctrl-C') && output(), {
			what: 'the banner',
			seen: output,
		});
		const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(banner) as RegExpExecArray;
		expect(banner).toContain(`${url}/v1\n`);
		expect(banner).toMatch(/sandbox-key +trader@sandbox\.test +everything/);
		expect(banner).toMatch(/sandbox-key-newcomer +newcomer@sandbox\.test +nothing yet/);
		expect((await fetch(`${url}/_sandbox/state`)).status).toBe(200);
		const orders = await fetch(`${url}/v1/partner/exchange/orders`, { headers: { 'x-api-key': 'sandbox-key' } });
		expect(orders.status).toBe(200);
		await until(() => output().includes('GET /v1/partner/exchange/orders 200'), {
			what: 'the log line',
		});
		child.kill('SIGTERM');
		expect(await ended).toBe(0);
	});

	it('prints every flag with --help', async () => {
		const { code, output } = await finished(['--help']);
		expect(code).toBe(0);
		for (const flag of ['--port', '--host', '--data', '--seed', '--production', '--dialect', 'errors'])
			expect(output).toContain(flag);
	});

	it.each([
		[['--prot', '1'], /Unknown option '--prot'.*--help/s],
		[['--dialect', 'errors=loud'], /errors can be nested/],
		[['--host', '0.0.0.0'], /--allow-remote/],
		[['--data', '/nowhere/at/all'], /folder exists/],
	])('refuses the arguments %j with one clear line', async (argv, message) => {
		const { code, output } = await finished(argv);
		expect(code).toBe(1);
		expect(output).toMatch(message);
		expect(output.trim().split('\n')).toHaveLength(1);
	});

	it('names a taken port and the way out', async () => {
		const server = createServer();
		const port = await openPort(server);
		const { code, output } = await finished(['--port', String(port)]);
		server.close();
		expect([code, output.trim()]).toEqual([
			1,
			`Port ${port} is taken by another program. Stop that one, or choose another port with --port.`,
		]);
	});

	it('reads flags from the environment too, the command line first', () => {
		const environment = {
			PARTNER_EXCHANGE_SANDBOX_PORT: '5001',
			PARTNER_EXCHANGE_SANDBOX_SEED: '7',
			PARTNER_EXCHANGE_SANDBOX_PRODUCTION: 'true',
			PARTNER_EXCHANGE_SANDBOX_DIALECT: 'errors=list,created=200',
		};
		expect(readOptions(['--port', '5002'], environment)).toMatchObject({
			port: 5002,
			seed: 7,
			production: true,
			marketMaker: true,
			dialect: { errors: 'list', created: '200' },
		});
	});
});
