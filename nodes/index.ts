/** Everything of the package that n8n loads, as one bundle: the nodes share their streams through it. */
export { PartnerExchangeApi } from '../credentials/PartnerExchangeApi.credentials';
export { PartnerExchange } from './PartnerExchange/PartnerExchange.node';
export { PartnerExchangeTrigger } from './PartnerExchangeTrigger/PartnerExchangeTrigger.node';
export { PartnerExchangeWalletTrigger } from './PartnerExchangeWalletTrigger/PartnerExchangeWalletTrigger.node';
