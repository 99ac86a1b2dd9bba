/** A client with more unsent bytes is disconnected, because the buffer would exhaust memory. */
export const BACKLOG_BYTES_MAX = 1_048_576;
