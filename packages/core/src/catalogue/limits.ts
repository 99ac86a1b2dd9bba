/** Limits of the service. (Interface, part 8.) */
export const TOPICS_PER_CONNECTION_MAX = 50;
export const CANDLES_DEFAULT = 100;
export const TRADES_DEFAULT = 50;
