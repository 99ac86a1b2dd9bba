/** The account the examples use: the local sandbox, unless the environment names another one. */
import type { Account } from '@partner-exchange/core';
import { environments } from '@partner-exchange/core/catalogue';

export const account: Account = {
	environment: 'sandbox',
	baseUrl: process.env.EXCHANGE_BASE_URL ?? environments.sandbox.baseUrl,
	wsUrl: process.env.EXCHANGE_WS_URL ?? environments.sandbox.wsUrl,
	apiKey: process.env.EXCHANGE_API_KEY ?? 'sandbox-key',
};
