/** Everything n8n loads of the package, in one bundle: the nodes share their streams through it. */
export { PartnerExchangeApi } from '../credentials/PartnerExchangeApi.credentials';
export { PartnerExchange } from './PartnerExchange/PartnerExchange.node';
export { PartnerExchangeTrigger } from './PartnerExchangeTrigger/PartnerExchangeTrigger.node';
export { PartnerExchangeWalletTrigger } from './PartnerExchangeWalletTrigger/PartnerExchangeWalletTrigger.node';
