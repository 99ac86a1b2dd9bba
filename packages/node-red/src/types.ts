/** Names of node types that do not come from the catalogue. */
export const PREFIX = 'partner-exchange-';
export const ACCOUNT_TYPE = `${PREFIX}account`;
export const EVENTS_TYPE = `${PREFIX}events`;
export const ALERTS_TYPE = `${PREFIX}alerts`;
