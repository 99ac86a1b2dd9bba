/** Each environment has its own addresses and keys. Only the local sandbox has fixed addresses. (Interface, part 9.) */
export const environments = {
	sandbox: {
		label: 'Sandbox',
		help: 'An exchange on your own machine, with test money',
		baseUrl: 'http://127.0.0.1:4010/v1',
		wsUrl: 'ws://127.0.0.1:4010/v1/ws',
		simulation: true,
	},
	staging: { label: 'Staging', help: "The provider's test environment", baseUrl: '', wsUrl: '', simulation: true },
	production: { label: 'Production', help: 'Real money', baseUrl: '', wsUrl: '', simulation: false },
} as const;

/** What the two addresses of an account are called. */
export const addressLabels = { baseUrl: 'Service Address', wsUrl: 'Stream Address' } as const;

/** What the parts of an account are called. */
export const accountLabels = {
	environment: 'Environment',
	...addressLabels,
	apiKey: 'API Key',
	controlToken: 'Control Token',
	testHosts: 'Test Hosts',
} as const;

/** The name of an environment of {@link environments}. */
export type Environment = keyof typeof environments;
