/** The versions of the hosts that are supported: the first of each is tested always, the others by name. */
export const supported = {
	n8n: ['2.41.1', '1.123.81'],
	nodeRed: ['5.0.7', '4.1.15'],
} as const;

export type HostName = keyof typeof supported;

const variables = { n8n: 'N8N_VERSION_TESTED', nodeRed: 'NODE_RED_VERSION_TESTED' } as const;

/** The version to start: the first one, or another supported one that the environment names. */
export function versionOf(host: HostName): string {
	const [first, ...others] = supported[host];
	const named = process.env[variables[host]] || first;
	if ([first, ...others].some((version) => version === named)) return named;
	throw new Error(`${variables[host]} names ${named}; it must be one of ${supported[host].join(', ')}.`);
}

/** Our own Node, or another one's program that the environment names; the tests themselves go on under ours. */
export const nodeOfNodeRed = (): string => process.env['NODE_RED_NODE_TESTED'] || process.execPath;

export const isN8n1 = (): boolean => versionOf('n8n').startsWith('1.');
