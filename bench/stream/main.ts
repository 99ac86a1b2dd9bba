import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { clients, type ClientName } from './clients';
import { feeds, serve, TOPIC, trade, type FeedName } from './server';

/** How fast the stream is, beside ws and JSON.parse on the same messages in the same run. Only ratios of one run mean something. */

const MESSAGES = 300_000;
const ROUNDS = 7;

/** Messages per second, and per second of processor time, which others on the machine do not take away. */
interface Sample {
	perSecond: number;
	perCpuSecond: number;
}

/** Each part runs in a process of its own, so that none lives off what another warmed up or left behind. */
function start(...argv: string[]): { child: ChildProcess; line: Promise<string> } {
	const child = spawn(process.execPath, [process.argv[1] ?? '', ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
	const end = () => void child.kill();
	process.once('exit', end);
	child.once('exit', () => process.removeListener('exit', end));
	const said = once(createInterface(child.stdout), 'line').then(([line]) => String(line));
	const died = once(child, 'exit').then(() => Promise.reject(new Error(`${argv.join(' ')} ended without a word`)));
	return { child, line: Promise.race([said, died]) };
}

async function read(client: ClientName, url: string, feed: FeedName, messages: number): Promise<void> {
	let began = { at: 0, cpu: process.cpuUsage() };
	await clients[client](`${url}/${feed}`, feeds[feed].trades(messages), () => {
		began = { at: performance.now(), cpu: process.cpuUsage() };
	});
	const { user, system } = process.cpuUsage(began.cpu);
	const ms = performance.now() - began.at;
	console.log(JSON.stringify({ perSecond: (messages / ms) * 1e3, perCpuSecond: (messages / (user + system)) * 1e6 }));
	process.exit();
}

async function compare(messages: number, rounds: number): Promise<void> {
	const server = start('serve', String(messages));
	const url = await server.line;
	console.log(
		`Reading ${messages} messages of ${trade(messages, TOPIC).length} bytes, median of ${rounds} interleaved rounds`,
	);
	for (const feed of Object.keys(feeds) as FeedName[]) {
		const samples: Record<ClientName, Sample[]> = { bare: [], stream: [] };
		for (let round = 0; round < rounds; round += 1) {
			for (const client of ['bare', 'stream'] as const) {
				const { line } = start('read', client, url, feed, String(messages));
				samples[client].push(JSON.parse(await line) as Sample);
			}
		}
		console.log(`${feeds[feed].title}`);
		for (const [client, title] of [
			['bare', 'ws and JSON.parse'],
			['stream', 'stream'],
		] as const) {
			const of = (name: keyof Sample) => `${speedOf(samples, client, name)} ${ratioOf(samples, client, name)}`;
			console.log(`  ${title.padEnd(20)} ${of('perSecond')}    per processor second ${of('perCpuSecond')}`);
		}
	}
	server.child.kill();
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

const speedOf = (samples: Record<ClientName, Sample[]>, client: ClientName, name: keyof Sample): string =>
	`${(median(samples[client].map((sample) => sample[name])) / 1_000).toFixed(0)}k/s`.padStart(8);

/** Round by round, because the machine is faster in one than in another. */
const ratioOf = (samples: Record<ClientName, Sample[]>, client: ClientName, name: keyof Sample): string =>
	`${median(samples[client].map((sample, round) => sample[name] / samples.bare[round]![name])).toFixed(2)}x`;

async function main([role, ...argv]: string[]): Promise<void> {
	if (role === 'serve') return serve(Number(argv[0]));
	if (role !== 'read') return compare(Number(role ?? MESSAGES), Number(argv[0] ?? ROUNDS));
	const [client, url, feed, messages] = argv as [ClientName, string, FeedName, string];
	return read(client, url, feed, Number(messages));
}

void main(process.argv.slice(2));
