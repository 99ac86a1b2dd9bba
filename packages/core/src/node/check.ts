#!/usr/bin/env node
/** The command `partner-exchange-check`: tests a configuration with a real key. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Account } from '../account';
import { addressesOf } from '../addresses';
import type { Environment } from '../catalogue';
import { checkAccess } from '../client/access';
import { createClient } from '../client/client';
import { checkService } from '../conformance/check';
import { type Finding, namesText, reportOf, tableOf } from '../conformance/finding';
import { ExchangeError } from '../errors';
import { nodePorts } from '../node';
import type { Ports, StreamingPorts } from '../ports';

const KEY_VARIABLE = 'PARTNER_EXCHANGE_API_KEY';

const flags = {
	environment: { type: 'string', about: 'sandbox, staging or production (sandbox)', value: 'NAME' },
	'base-url': { type: 'string', about: 'REST address, ending in /v1', value: 'ADDRESS' },
	'ws-url': { type: 'string', about: 'stream address, ending in /v1/ws', value: 'ADDRESS' },
	write: { type: 'boolean', about: 'also try what only a write shows; refused in production' },
	email: { type: 'string', about: 'test account, for simulations with --write', value: 'EMAIL' },
	'account-number': { type: 'string', about: 'bank account that exists, for recipients with --write', value: 'DIGITS' },
	names: { type: 'string', about: 'writes the names mapping of the account to this file', value: 'FILE' },
	report: { type: 'string', about: 'writes a report for the provider to this file', value: 'FILE' },
	json: { type: 'boolean', about: 'prints the findings as JSON' },
	help: { type: 'boolean', about: 'prints this text' },
} as const;

export function helpText(): string {
	const lines = Object.entries(flags).map(([name, flag]) => {
		const usage = `--${name}${'value' in flag ? ` ${flag.value}` : ''}`;
		return `  ${usage.padEnd(28)} ${flag.about}`;
	});
	return [
		'Usage: partner-exchange-check [flags]',
		'',
		'Tries each assumption of the client against a service and says whether it is right. It reads only, unless told to write.',
		`The key comes from the environment variable ${KEY_VARIABLE}, never from a flag, which others on the machine can see.`,
		'',
		...lines,
		'',
		'Ends with 0 where nothing differs, 1 where something does, 2 where it could not run.',
	].join('\n');
}

interface Output {
	print(text: string): void;
	onError(text: string): void;
}

/** Returns the exit code. */
export async function main(
	argv: string[],
	variables: NodeJS.ProcessEnv,
	{ print, onError, ports = nodePorts() }: Output & { ports?: StreamingPorts },
): Promise<number> {
	try {
		const { values } = parseArgs({ args: argv, options: flags, strict: true });
		if (values.help) {
			print(helpText());
			return 0;
		}
		const account = accountFrom(values, variables);
		const { write = false, email, 'account-number': accountNumber } = values;
		const problem = await accessProblem(account, ports);
		if (problem && isNoAnswer(problem)) throw problem;
		const findings = await checkService(account, ports, { write, email, accountNumber });
		if (findings.every(({ verdict }) => verdict === 'could not tell')) throw problem ?? new Error(NOTHING_TOLD);
		print(values.json ? JSON.stringify(findings, null, '\t') : tableOf(findings));
		if (values.names) writeFileSync(values.names, namesText(findings));
		if (values.report) writeFileSync(values.report, reportOf(findings, account.baseUrl));
		return findings.some(({ verdict }: Finding) => verdict === 'differs') ? 1 : 0;
	} catch (error) {
		onError(`${(error as Error).message}`);
		return 2;
	}
}

const NOTHING_TOLD = 'The service refuses every read. Check the address, and ask the provider what the key may read.';
const isNoAnswer = ({ code, retryable }: ExchangeError): boolean =>
	code === 'unauthorized' || (retryable && code !== 'malformed_response');

/** Why the account cannot be read. Where nobody answers nothing can be told, and any other answer is for the findings. */
async function accessProblem(account: Account, ports: Ports): Promise<ExchangeError | undefined> {
	try {
		await checkAccess(createClient(account, ports), {});
		return undefined;
	} catch (error) {
		if (error instanceof ExchangeError) return error;
		throw error;
	}
}

type Values = Partial<Record<'environment' | 'base-url' | 'ws-url', string>>;

function accountFrom(values: Values, variables: NodeJS.ProcessEnv) {
	const { environment = 'sandbox' } = values;
	const apiKey = variables[KEY_VARIABLE] ?? '';
	if (apiKey === '')
		throw new Error(`There is no key. Put it into the environment variable ${KEY_VARIABLE} and start again.`);
	return {
		environment: environment as Environment,
		...addressesOf({ environment: environment as Environment, baseUrl: values['base-url'], wsUrl: values['ws-url'] }),
		apiKey,
	};
}

if (require.main === module) {
	const output = { print: (text: string) => console.log(text), onError: (text: string) => console.error(text) };
	main(process.argv.slice(2), process.env, output).then(
		(code) => (process.exitCode = code),
		() => (process.exitCode = 1),
	);
}
