/** Hosts leave an environment variable that is not set as it is written. Says so of a field that holds one. */
export const unsetVariable = (text: string, label: string): string | undefined =>
	/^\$\{.*\}$/.test(text) ? `The environment variable ${text} of ${label} is not set` : undefined;
