/** Command-line flags of the start scripts: declared once, shown by `--help`, and checked for typing errors. */
import { parseArgs } from 'node:util';

export type Flags = Readonly<Record<string, Flag>>;
type Flag =
	| { type: 'string'; default: string; value: string; about: string }
	/** On by default, so `--help` shows the form that switches it off. */
	| { type: 'boolean'; default: true; about: string };

/** Flags shared by several start scripts. */
export const SANDBOX_PORT = {
	type: 'string',
	default: '4010',
	value: 'PORT',
	about: 'where the sandbox exchange listens',
} as const;
export const FOLDER = {
	type: 'string',
	default: '.sandbox',
	value: 'FOLDER',
	about: 'where everything is kept; remove it to start from the beginning',
} as const;
export const INSPECT = {
	type: 'string',
	default: '',
	value: 'PORT',
	about: 'let a debugger attach to the host on this port',
} as const;
export const BUILD = {
	type: 'boolean',
	default: true,
	about: 'do not build first, even if something changed',
} as const;

type Values<F extends Flags> = { [Name in keyof F]: F[Name] extends { type: 'string' } ? string : boolean };

/** The values of the flags, or undefined after printing help. */
export function readFlags<const F extends Flags>(command: string, purpose: string, flags: F): Values<F> | undefined {
	const help = { type: 'boolean', short: 'h' } as const;
	try {
		const values: { help?: unknown } = parseArgs({ options: { ...flags, help }, allowNegative: true }).values;
		if (!values.help) return values as Values<F>;
	} catch (error) {
		const usages = [...Object.entries(flags).map(([name, flag]) => usageOf(name, flag)), '--help'];
		throw new Error(`${(error as Error).message}\n\`npm ${command} --\` takes these flags: ${usages.join(', ')}`);
	}
	process.stdout.write(helpOf(command, purpose, flags));
	return undefined;
}

function helpOf(command: string, purpose: string, flags: Flags): string {
	const lines = Object.entries(flags).map(([name, flag]) => {
		const fallback = flag.type === 'string' && flag.default !== '' ? ` (${flag.default})` : '';
		return `  ${usageOf(name, flag).padEnd(26)}${flag.about}${fallback}\n`;
	});
	const help = `  ${'--help'.padEnd(26)}print this text\n`;
	return `\n${purpose}\n\nUsage: npm ${command} -- [flags]\n\n${lines.join('')}${help}\nIt runs until Ctrl-C, on this machine only, with test money.\n\n`;
}

const usageOf = (name: string, flag: Flag): string =>
	flag.type === 'string' ? `--${name} ${flag.value}` : `--no-${name}`;
