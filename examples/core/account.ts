/** The account the examples use: the local sandbox, unless the environment names another one; see README.md. */
import type { Account } from '@partner-exchange/core';
import { environments, type Environment } from '@partner-exchange/core/catalogue';

const variable = (name: string): string | undefined => process.env[`PARTNER_EXCHANGE_${name}`];

export const account: Account = {
	environment: (variable('ENVIRONMENT') ?? 'sandbox') as Environment,
	baseUrl: variable('BASE_URL') ?? environments.sandbox.baseUrl,
	wsUrl: variable('WS_URL') ?? environments.sandbox.wsUrl,
	apiKey: variable('API_KEY') ?? 'sandbox-key',
};
