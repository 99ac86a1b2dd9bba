import { spawnSync } from 'node:child_process';
import { createClient } from '@partner-exchange/core';
import { nodePorts } from '@partner-exchange/core/node';
import { bundle } from './bundle';

/**
 * What hiding the key costs where an answer of 30 MB repeats it: npm run bench:echo. Each case is read by a process of its
 * own, whose heap is as small as the one that is asked for.
 */

const BYTES = 30_000_000;
const HEAP_MB = 512;

const keys: Readonly<Record<string, string>> = {
	letters: 'sk_live_4f7a9c2e1b8d6035',
	signs: 'k/3y+=&"7!q~(x)\\%2',
};

const json = (text: string): string => JSON.stringify(text).slice(1, -1);

const written: Readonly<Record<string, (key: string) => string>> = {
	'not at all': (key) => 'x'.repeat(key.length),
	plain: json,
	'in an address': encodeURIComponent,
	'in code points': (key) => key.replace(/\W/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`),
	'in base64': (key) => Buffer.from(key).toString('base64'),
};

interface Cost {
	seconds: number;
	/** The most memory the process ever had, beyond what it had before. */
	megabytes: number;
}

/** Reads an answer whose one long text repeats the key. It is refused as no list of orders, after all of it was read. */
async function read(key: string, spelling: string): Promise<Cost> {
	const one = `${written[spelling]!(key)} `;
	const body = `{"status":"success","data":{"said":"${one.repeat(BYTES / one.length)}"}}`;
	const account = {
		...{ environment: 'sandbox' as const, apiKey: key },
		...{ baseUrl: 'http://127.0.0.1:1024/v1', wsUrl: 'ws://127.0.0.1:1024/v1/ws' },
	};
	const send = () => Promise.resolve({ status: 200, headers: {}, body });
	const client = createClient(account, { ...nodePorts(), send });
	// A rope is made one text before it is measured.
	Buffer.byteLength(body);
	const before = process.resourceUsage().maxRSS;
	const began = performance.now();
	await client.order.list({}).catch(() => undefined);
	return {
		seconds: (performance.now() - began) / 1_000,
		megabytes: (process.resourceUsage().maxRSS - before) / 1_024,
	};
}

function measure(program: string): void {
	for (const [name, key] of Object.entries(keys))
		for (const spelling of Object.keys(written)) {
			const argv = [`--max-old-space-size=${HEAP_MB}`, program, key, spelling];
			const { stdout, status } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
			const { seconds, megabytes } = (status === 0 ? JSON.parse(stdout) : {}) as Partial<Cost>;
			const cost =
				seconds === undefined ? 'out of memory' : `${seconds.toFixed(2)} s, ${Math.round(megabytes!)} MB more memory`;
			process.stdout.write(`a key of ${name.padEnd(8)} repeated ${spelling.padEnd(16)} ${cost}\n`);
		}
}

const [, , key, spelling] = process.argv;
if (key === undefined) measure(bundle('bench/echo.ts', 'echo'));
else void read(key, spelling!).then((cost) => process.stdout.write(JSON.stringify(cost)));
