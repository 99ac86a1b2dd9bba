/** A compose example done without containers: its files beside each other, and its commands as the files name them. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Sandbox } from '@partner-exchange/sandbox';
import { pack } from '../../scripts/hosts/package';
import { freePort } from '../../scripts/hosts/ports';

const examples = join(__dirname, '../../examples/compose');

/** What the containers of one example share. */
export interface Composed {
	/** The volume of the host, which for n8n is `.n8n` in the home of its user. */
	volume: string;
	/** The text of the service, as the file has it. */
	service: (name: string) => string;
	/** Runs what the container of a service runs, and resolves with its output. */
	run: (name: string, env?: NodeJS.ProcessEnv) => Promise<string>;
}

/** The folder of the example with the sandbox's address of this machine, and the packed nodes where the image has them. */
export async function compose(host: string, source: string, sandbox: Sandbox, into: string): Promise<Composed> {
	const [volume, packed, example] = ['.n8n', 'packed', host].map((name) => join(into, name)) as [
		string,
		string,
		string,
	];
	for (const folder of [volume, packed]) mkdirSync(folder, { recursive: true });
	cpSync(join(examples, host), example, { recursive: true });
	for (const name of readdirSync(example).filter((each) => each.endsWith('.json'))) {
		const text = readFileSync(join(example, name), 'utf8');
		const here = text.replaceAll('//sandbox:4010', `//localhost:${new URL(sandbox.url).port}`);
		writeFileSync(join(example, name), here.replace('"testHosts": "sandbox"', '"testHosts": "localhost"'));
	}
	await pack(source, packed);
	const file = readFileSync(join(example, 'compose.yaml'), 'utf8');
	const service = (name: string): string => new RegExp(`^ {2}${name}:\\n(?: {4}.*\\n)+`, 'm').exec(file)![0];
	const listOf = (name: string, key: string): string[] =>
		[...(new RegExp(`^ {4}${key}: \\[(.*)\\]`, 'm').exec(service(name))?.[1] ?? '').matchAll(/'([^']*)'/g)].map(
			([, each]) => each!,
		);
	const place = (path: string): string =>
		path.replace(/^\/host/, volume).replace(/^\/example|^examples\/compose\/[\w-]+$/, example);
	return {
		...{ volume, service },
		run: async (name, env = {}) => {
			const entry = name === 'nodes' ? ['sh', join(examples, 'install.sh')] : listOf(name, 'entrypoint');
			const [program, ...args] = [...entry, ...listOf(name, 'command')].map(place);
			const broker = String(await freePort());
			// What the tests run with is no business of a container.
			const { PATH } = process.env;
			const { stdout } = await promisify(execFile)(program!, args, {
				env: { PATH, HOME: into, PACKED: packed, N8N_RUNNERS_BROKER_PORT: broker, ...env },
				maxBuffer: 64 * 1024 * 1024,
			});
			return stdout;
		},
	};
}
