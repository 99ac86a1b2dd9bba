/** Topics of one stream connection. (Interface, part 8.) */
export const TOPICS_PER_CONNECTION_MAX = 50;
/** Candles in an answer without a `limit`. (Interface, part 8.) */
export const CANDLES_DEFAULT = 100;
/** Trades in an answer without a `limit`. (Interface, part 8.) */
export const TRADES_DEFAULT = 50;
