import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { startSandbox, type Sandbox } from '@partner-exchange/sandbox';
import { leaksIn } from '../support/canary';

const CANARY = 'canary-7f3a+key-of-a-process';
let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox({ seed: 1, keys: [{ key: CANARY, email: 'trader@sandbox.test' }] });
});
afterAll(async () => await sandbox.close());

/** The complete output of a process that makes calls, listens and fails. */
const spoken = async (env: Record<string, string>): Promise<{ text: string; code: number | null }> =>
	await new Promise((resolve) => {
		const program = ['--import', 'tsx', join(__dirname, '../support/spoken.ts')];
		const value = { ...process.env, KEY: CANARY, BASE_URL: sandbox.baseUrl, WS_URL: sandbox.wsUrl, ...env };
		const child = execFile(process.execPath, program, { env: value, maxBuffer: 1 << 28 }, (_, stdout, stderr) =>
			resolve({ text: stdout + stderr, code: child.exitCode }),
		);
	});

describe('a process that holds a key', () => {
	type Spoken = Awaited<ReturnType<typeof spoken>>;
	let input: Spoken;
	let ended: Spoken;
	beforeAll(async () => {
		const printing = spoken({ NODE_DEBUG: 'tls,undici,fetch,websocket,timer,stream', DEBUG: '*' });
		[input, ended] = await Promise.all([printing, spoken({ ENDS: 'uncaught' })]);
	});

	it('prints no key when Node prints all it does, but for requests and their connections (security 5)', () => {
		const { text, code } = input;
		expect(code).toBe(0);
		expect(text).toContain('TIMER ');
		expect(leaksIn({ text }, CANARY)).toEqual([]);
	});

	it('writes no key into a diagnostic report or the last words of an uncaught error (security 13)', () => {
		const { text, code } = ended;
		expect(code).toBe(1);
		expect(text).toContain('REPORT {');
		expect(text).toMatch(/ExchangeError: .*not find/s);
		expect(leaksIn({ text }, CANARY)).toEqual([]);
	});
});
