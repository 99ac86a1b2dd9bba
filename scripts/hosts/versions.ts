/** Supported versions of the hosts: tests use the first, and the others when an environment variable names them. */
export const supported = {
	n8n: ['2.41.1', '1.123.81'],
	nodeRed: ['5.0.7', '4.1.15'],
} as const;

export type HostName = keyof typeof supported;

const variables = { n8n: 'N8N_VERSION_TESTED', nodeRed: 'NODE_RED_VERSION_TESTED' } as const;

/** The version to start: the first, or the supported one named by the environment variable. */
export function versionOf(host: HostName): string {
	const [first, ...others] = supported[host];
	const named = process.env[variables[host]] || first;
	if ([first, ...others].some((version) => version === named)) return named;
	throw new Error(`${variables[host]} names ${named}; it must be one of ${supported[host].join(', ')}.`);
}

/** The Node to run Node-RED with, if the environment names one; the tests themselves run on the present Node. */
export const nodeOfNodeRed = (): string => process.env['NODE_RED_NODE_TESTED'] || process.execPath;

export const isN8n1 = (): boolean => versionOf('n8n').startsWith('1.');
