/** The account the examples use: the local sandbox, unless the environment names another one; see README.md. */
import type { AccountInput } from '@partner-exchange/core';
import { environments, type Environment } from '@partner-exchange/core/catalogue';

const variable = (name: string): string | undefined => process.env[`PARTNER_EXCHANGE_${name}`];
const isEnvironment = (name: string): name is Environment => Object.hasOwn(environments, name);

const environment = variable('ENVIRONMENT') ?? 'sandbox';
if (!isEnvironment(environment)) throw new Error(`There is no environment ${environment}`);

export const account: AccountInput = {
	environment,
	baseUrl: variable('BASE_URL'),
	wsUrl: variable('WS_URL'),
	apiKey: variable('API_KEY') ?? 'sandbox-key',
};
