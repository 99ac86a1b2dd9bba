import { parseArgs } from 'node:util';
import { dialects } from './api/dialect';
import type { SandboxOptions } from './sandbox';

/** Flags of the command, each with an environment variable of the same name. */
const PORT_DEFAULT = 4010;
const ENVIRONMENT_PREFIX = 'PARTNER_EXCHANGE_SANDBOX_';

const flags = {
	port: { type: 'string', about: `port to listen on (${PORT_DEFAULT})`, value: 'NUMBER' },
	host: { type: 'string', about: 'address to listen on (127.0.0.1)', value: 'ADDRESS' },
	data: { type: 'string', about: 'file to keep the exchange in; without it, it lives in memory', value: 'FILE' },
	seed: {
		type: 'string',
		about: 'fixes prices and events of the seeded market, and with --run the ids (1)',
		value: 'NUMBER',
	},
	run: {
		type: 'string',
		about: 'twelve hexadecimal digits that end every id; drawn at random for each run',
		value: 'ID',
	},
	clock: { type: 'string', about: 'real, or virtual: moved through /_sandbox/clock (real)', value: 'KIND' },
	production: { type: 'boolean', about: 'behave as production: its own keys, no simulation' },
	'no-market-maker': { type: 'boolean', about: 'leave the market to you alone' },
	dialect: {
		type: 'string',
		multiple: true,
		about: 'another shape where the interface shows none, such as errors=list',
		value: 'NAME=VALUE',
	},
	'allow-host': {
		type: 'string',
		multiple: true,
		about: 'a name that clients may call this machine by',
		value: 'NAME',
	},
	'allow-remote': { type: 'boolean', about: 'listen where other machines reach it, with keys everybody knows' },
	'control-token': {
		type: 'string',
		about: 'opens control and console to whoever sends it, and to nobody else, 16 characters or more',
		value: 'TOKEN',
	},
	log: { type: 'boolean', about: 'print a line for each request, without keys' },
	help: { type: 'boolean', about: 'print this text' },
} as const;

export const flagNames = Object.keys(flags).map((name) => `--${name}`);

type Values = { -readonly [Name in keyof typeof flags]?: string | boolean | string[] | undefined };

export function helpText(): string {
	const lines = Object.entries(flags).map(([name, flag]) => {
		const usage = `--${name}${'value' in flag ? ` ${flag.value}` : ''}`;
		return `  ${usage.padEnd(24)} ${flag.about}`;
	});
	const choices = Object.entries(dialects).map(
		([name, { about, values }]) => `  ${name.padEnd(16)} ${about}: ${values.join(', ')}`,
	);
	return [
		'Usage: partner-exchange-sandbox [flags]',
		'',
		'A local exchange that speaks the partner exchange interface.',
		'',
		...lines,
		'',
		`Each flag can also be set as an environment variable: ${ENVIRONMENT_PREFIX}PORT, ${ENVIRONMENT_PREFIX}DATA and so on.`,
		'',
		'Dialects (the first value is the usual one):',
		...choices,
	].join('\n');
}

export function readOptions(argv: string[], environment: NodeJS.ProcessEnv): SandboxOptions | 'help' {
	const { values: entered } = parseArgs({ args: argv, options: flags, strict: true });
	const values: Values = { ...fromEnvironment(environment), ...entered };
	if (values.help) return 'help';
	if (values.clock !== undefined && values.clock !== 'real' && values.clock !== 'virtual') {
		throw new Error('--clock must be real or virtual.');
	}
	return {
		port: wholeNumber(values, 'port', 65_535) ?? PORT_DEFAULT,
		host: text(values.host),
		data: text(values.data),
		seed: wholeNumber(values, 'seed', 2 ** 32 - 1),
		run: text(values.run),
		clock: values.clock,
		production: Boolean(values.production),
		marketMaker: !values['no-market-maker'],
		dialect: Object.fromEntries(list(values.dialect).map(pairOf)),
		allowedHosts: list(values['allow-host']),
		allowRemote: Boolean(values['allow-remote']),
		controlToken: text(values['control-token']),
		log: values.log ? (line) => console.log(line) : undefined,
	};
}

function fromEnvironment(environment: NodeJS.ProcessEnv): Values {
	const values: Values = {};
	for (const [name, flag] of Object.entries(flags)) {
		const value = environment[`${ENVIRONMENT_PREFIX}${name.replaceAll('-', '_').toUpperCase()}`];
		if (value === undefined || value === '') continue;
		const several = 'multiple' in flag ? value.split(',') : value;
		values[name as keyof Values] =
			flag.type === 'boolean' ? !['0', 'false', 'no'].includes(value.toLowerCase()) : several;
	}
	return values;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const list = (value: unknown): string[] => (Array.isArray(value) ? (value as string[]) : []);

function wholeNumber(values: Values, name: 'port' | 'seed', max: number): number | undefined {
	const value = values[name];
	if (value === undefined) return undefined;
	const number = /^\d+$/.test(String(value)) ? Number(value) : NaN;
	if (!(number <= max)) throw new Error(`--${name} must be a whole number up to ${max}.`);
	return number;
}

function pairOf(choice: string): [string, string] {
	const [name, value] = choice.split('=', 2);
	if (!name || value === undefined) throw new Error('--dialect takes NAME=VALUE, such as --dialect errors=list.');
	return [name, value];
}
