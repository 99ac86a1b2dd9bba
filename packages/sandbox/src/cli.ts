#!/usr/bin/env node
/** The command `partner-exchange-sandbox`: starts the sandbox, prints its addresses, and stops cleanly. */
import './runtime';
import { ACCESS_CLASSES, devKeys, NEWCOMER_EMAIL } from './engine/seed';
import { flagNames, helpText, readOptions } from './flags';
import { startSandbox, type Sandbox, type SandboxOptions } from './sandbox';

function banner({ url, baseUrl, wsUrl }: Sandbox, { production, data }: SandboxOptions): string {
	const wanted = production ? 'production' : 'staging';
	const keys = devKeys.filter(({ environment = 'staging', active = true }) => environment === wanted && active);
	return [
		`Sandbox exchange${production ? ' as production' : ''}, ready.`,
		'',
		`  Console          ${url}/`,
		`  Service address  ${baseUrl}`,
		`  Stream address   ${wsUrl}`,
		`  Data             ${data ?? 'in memory, gone at the end'}`,
		'',
		'  Keys (test money only)',
		...keys.map(({ key, email = 'trader@sandbox.test', access = ACCESS_CLASSES }) => {
			const allowed = access.length === ACCESS_CLASSES.length ? 'everything' : access.join(', ');
			const isReady = email !== NEWCOMER_EMAIL;
			return `    ${key.padEnd(26)} ${email.padEnd(24)} ${isReady ? allowed : 'nothing yet: the account is not ready'}`;
		}),
		'',
		'  Stop with Ctrl-C.',
	].join('\n');
}

export async function main(argv: string[], environment: NodeJS.ProcessEnv): Promise<void> {
	try {
		const options = readOptions(argv, environment);
		if (options === 'help') return console.log(helpText());
		const sandbox = await startSandbox({ ...options, onStorageFailure: leave, onStorageWarning: console.error });
		console.log(banner(sandbox, options));
		stopOnSignal(sandbox);
	} catch (error) {
		leave(error as Error);
	}
}

function leave(error: Error): void {
	const isMistyped = 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
	console.error(isMistyped ? `${error.message}. The flags are ${flagNames.join(', ')}.` : error.message);
	process.exit(1);
}

function stopOnSignal(sandbox: Sandbox): void {
	let stopping = false;
	const stop = () => {
		if (stopping) process.exit(1);
		stopping = true;
		sandbox.close().then(() => process.exit(0), leave);
	};
	process.on('SIGINT', stop);
	process.on('SIGTERM', stop);
}

if (require.main === module) main(process.argv.slice(2), process.env).catch(leave);
