/** Entry point of the n8n package. All nodes are in one bundle, so that they share one set of WebSocket streams. */
export { PartnerExchangeApi } from '../credentials/PartnerExchangeApi.credentials';
export { PartnerExchange } from './PartnerExchange/PartnerExchange.node';
export { PartnerExchangeTrigger } from './PartnerExchangeTrigger/PartnerExchangeTrigger.node';
export { PartnerExchangeAlertTrigger } from './PartnerExchangeAlertTrigger/PartnerExchangeAlertTrigger.node';
