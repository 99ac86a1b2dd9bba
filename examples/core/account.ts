/** The account the examples use: the local sandbox, unless the environment names another one; see README.md. */
import type { AccountInput } from '@partner-exchange/core';
import type { Environment } from '@partner-exchange/core/catalogue';

const variable = (name: string): string | undefined => process.env[`PARTNER_EXCHANGE_${name}`];

export const account: AccountInput = {
	environment: (variable('ENVIRONMENT') ?? 'sandbox') as Environment,
	baseUrl: variable('BASE_URL'),
	wsUrl: variable('WS_URL'),
	apiKey: variable('API_KEY') ?? 'sandbox-key',
};
