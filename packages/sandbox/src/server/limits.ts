/** A client with more unsent bytes is disconnected, so that it cannot exhaust memory. */
export const BACKLOG_BYTES_MAX = 1_048_576;
