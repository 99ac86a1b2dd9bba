/**
 * Every limit of the stream: whom it protects, and what happens at it. `npm run docs` makes docs/limits.md of it. Times are
 * milliseconds; `base` and `cap` are the first pause of several and the longest.
 */

// Connections

/** A host behind a network that swallows packets. The connection attempt is given up, and the next one waits its turn. */
export const HANDSHAKE_MS_MAX = 10_000;
/** A quiet connection that a proxy would cut. After this much silence a ping is sent. */
export const PING_EVERY_MS = 20_000;
/** A consumer of a connection that died unseen. After this long without any message it counts as lost, whatever TCP reports. */
export const SILENCE_MS_MAX = 45_000;
/** A topic whose confirmation was lost. It is asked for again, on a new connection if none was confirmed on this one. */
export const CONFIRMATION_MS = { base: 10_000, cap: 40_000 };
/** Whoever starts a trigger. A first connection without a confirmed topic is reported as an error. */
export const READY_MS_MAX = 30_000;
/** The service, from a redeploy that opens what was just closed. A connection that nobody uses is closed after this. */
export const IDLE_MS_MAX = 30_000;
/** A topic, from messages of before a resume that look like a new count. So long they count as replayed, if no head is told. */
export const REPLAYED_FOR_MS = 2_000;

// Reconnects

/** The service, from everybody at once and in a long outage. A pause is random up to a bound, which doubles with every try. */
export const RECONNECT_MS = { base: 500, cap: 15_000 };
/**
 * The service, from a connection that opens and closes. Only one that stayed open this long makes the next pause short
 * again. One that ended before, and was asked for what was missed or for a snapshot, is followed by one that is not.
 */
export const STABLE_AFTER_MS = 60_000;
/** The service that said `rate_limited`: a pause is random between this, doubled with every repetition, and twice as much. */
export const LIMITED_MS = { base: 5_000, cap: 60_000 };

// Refusals

/** Consumers, from a refusal that is temporary. So many in a row refuse a key, which is reported then. */
export const REFUSALS_CONFIRM = 3;
/** The same of one topic. Its subscription fails then. */
export const TOPIC_REFUSALS_CONFIRM = 2;
/** The pause before a refused request is repeated, to confirm the refusal. */
export const REFUSAL_AGAIN_MS = 1_000;
/** The service, from a key or a topic it refused: the pauses between further tries. */
export const REFUSED_AGAIN_MS = { base: 30_000, cap: 600_000 };
/** The same of reads, while live events flow. */
export const REFUSED_RETRY_MS = { base: 5_000, cap: 600_000 };
/** Consumers of a list that fails for good. After so many reads in a row the topic is live only, and they are told. */
export const UNREADABLE_AFTER = 2;

// Messages

/** Memory, from one message. A longer one, in characters, is not parsed, and what it held is read. */
export const MESSAGE_LENGTH_MAX = 1024 * 1024;
/** The parser, from lists within lists. Deeper records of a payload are not looked for. */
export const PAYLOAD_DEPTH_MAX = 4;
/** Checkpoints, from an epoch as long as a page. A longer one counts as none. */
export const EPOCH_LENGTH_MAX = 200;
/** Memory, from live messages that wait for a read. With more of a topic they pass at once. */
export const HELD_MAX = 10_000;
/** The same in characters. */
export const HELD_LENGTH_MAX = 32 * 1024 * 1024;
/** Consumers, from a slow read. Live messages that wait for it pass after this time. */
export const HOLD_MS_MAX = 5_000;
/** The processor, from a time in each message. So often one is read, for the delay that a status shows. */
export const TIME_READ_EVERY_MS = 100;
/** Memory, from wildcards. Further topics are left out, and the status says so. */
export const WILDCARD_TOPICS_MAX = 500;

// Slow hosts

/** Memory: entries that wait for one consumer. With more no list is read for it. */
export const QUEUE_MAX = 1_000;
/** The same in characters of their messages. */
export const QUEUE_LENGTH_MAX = 8 * 1024 * 1024;
/** Memory, from a slow host. With more waiting, its consumer falls behind and reads over REST what it missed. */
export const QUEUE_HARD_MAX = 5_000;
/** The same in characters. */
export const QUEUE_HARD_LENGTH_MAX = 32 * 1024 * 1024;
/** Whoever reads a book: old changes are worth nothing. With more waiting, the present book replaces them. */
export const BOOK_BACKLOG_MAX = 100;
/** A host that fails to take events: the pauses before they are offered again. */
export const TAKE_RETRY_MS = { base: 1_000, cap: 60_000 };
/** The disk of a host. A position that moved without an event is stored this often at most. */
export const QUIET_MOVE_EVERY_MS = 10_000;
/** The processor, from a long catching up. Where a host reads no checkpoint at once, one is worked out this often. */
export const BAGGAGE_STORED_EVERY_MS = 1_000;
/** The processor: acknowledged entries are dropped once in so many. */
export const TRIMMED_EVERY = 100;
/** The processor, from a payload of any size: so many of its values are counted, the rest counts as nothing. */
export const NODES_MAX = 1_000;
/** Memory: acknowledged entries that wait for consumers who come back. Who wants earlier ones reads them over REST. */
export const RETAINED_MAX = 1_000;

// Memory of a topic

/** Identifiers of a topic, of which the latest half is known in any case: a replay may bring what lists have settled. */
export const KEYS_MIN = 20_000;
/** Memory, about 30 MB, while no read succeeds. Beyond it the first quarter is forgotten. */
export const KEYS_MAX = 600_000;
/** Memory: contents that are counted where events show no identifier. Beyond it a copy of the earliest is a new event. */
export const CONTENTS_MAX = 20_000;
/** The same of copies whose positions are known. */
export const PLACES_MAX = 40_000;
/** Memory: numbers of trades that came before a missing one. Beyond it reads alone show that they are known. */
export const ABOVE_MAX = 50_000;
/** Memory: orders whose fills are added up, of which the latest half is known in any case. Of others the sum begins again. */
export const SUMMED_ORDERS_MAX = 20_000;
/** Memory, about 100 characters each: open orders that are followed. With more, the end of the first is told only by the stream. */
export const OPEN_ORDERS_MAX = 20_000;
/** Memory: ended orders, so that a late update reopens none. One that ended earlier would be told again. */
export const ENDED_ORDERS_MAX = 20_000;
/** Memory: amendments of one order, which a late update may repeat. An earlier one would be told again. */
export const TERMS_MAX = 10;

// Checkpoint

/** Whoever starts again: so many identifiers are stored whatever their age, as fingerprints of 10 characters. */
export const STORED_KEYS_MIN = 500;
/**
 * The store of a host. All that the next read may repeat at 100 events a second: the 60 seconds reads overlap, up to 50
 * between them, 12 a list lags behind, and 28 to read that many. At more, a crash brings some again under the same key.
 */
export const STORED_KEYS_MAX = 15_000;
/** The same of a list whose rows have no time, because each read shows all of them again. */
export const STORED_UNDATED_KEYS_MAX = 50_000;
/** The store of a host: ended orders that a replay or a read may repeat. One that ended earlier would be told again. */
export const STORED_ENDED_MAX = 300;

// When lists are read

/** Consumers: after a subscription or a sign of missing events. Several, because lists lag behind. */
export const READ_AFTER_MS = [0, 5_000, 20_000] as const;
/** Consumers: the time from one read to the next without a sign, or where jumps of the numbers have proved normal. */
export const READ_EVERY_MS = 45_000;
/** Consumers: how far a list is expected to lag behind the stream. */
export const READ_LAG_MS_MAX = 12_000;
/** Consumers: what a list has not shown for this long is no delay. It is missing, or what the list shows instead is true. */
export const LISTED_AFTER_MS = 30_000;
/** The service, from a topic with a hole after each message. Further reads of that minute wait. */
export const READS_PER_MINUTE_MAX = 12;
/** The service: reads closer together are one. */
export const READ_SPACING_MS = 1_000;
/** The service, from triggers that start one after another. They share a read: the least time from one to the next. */
export const NEWCOMERS_SPACING_MS = 10_000;
/** The same: who joins after a complete read that is no older needs none. */
export const REUSED_MS_MAX = 60_000;
/** The service, when a read fails: the pauses before the next. */
export const READ_RETRY_MS = { base: 1_000, cap: 30_000 };
/** The service, when a snapshot of a book is too old: the pause, short because changes are stale until then. */
export const OUTDATED_AGAIN_MS = 2_000;
/** The service, from all topics of an account at once. Further reads wait, private topics first. */
export const READS_AT_ONCE_MAX = 10;
/** A schedule, from timers that fire early: those of Node drop fractions of a millisecond. */
export const EARLY_MS = 10;

// How far lists are read

/** Consumers: how far before the newest known row a read goes, because lists lag and rows appear out of order. */
export const READ_OVERLAP_MS = 60_000;
/** The service: after so many settled rows in a row an ordered list is read no further. */
export const KNOWN_IN_A_ROW = 50;
/**
 * Consumers, from a row with a wrong date. So many dated ahead of all others do not decide up to when a list is settled, and a
 * list of no more rows is not taken for one that dropped the rest.
 */
export const DATED_AHEAD_MAX = 9;
/** Consumers, from a short page taken for the end of a list. A page of fewer rows never counts as full. */
export const FULL_PAGE_MIN = 10;
/** The service, from a list of any length at a first start. Of one with the newest first no more rows are read. */
export const BASELINE_ITEMS_MAX = 500;
/** Other requests: so many pages are read in a row, whose events are delivered then. */
export const PAGES_PER_SLICE = 10;
/** The same in time. */
export const SLICE_MS_MAX = 2_000;
/** The pause after them, which leaves the rate limit to others. */
export const SLICE_PAUSE_MS = 500;
/** A read, from rows that changed meanwhile. After so many tries of a page it begins again. */
export const PAGE_TRIES_MAX = 4;
/** The service, after a long absence: trades that are read of a jump. Those beyond are reported as a gap. */
export const TRADES_CAUGHT_UP_MAX = 10_000;
/** Consumers: one time may be written in whole seconds, another of the same event with milliseconds. */
export const TIMES_APART_MS = 1_000;

// Orders and their fills

/** The service: open orders no page showed that one read looks up one by one. More are looked up in lists by status. */
export const SINGLE_READS_MAX = 20;
/** The service: pages of lists by status of one read. Orders beyond are looked up in the next one. */
export const STATUS_PAGES_MAX = 150;
/** The same: after so many rows in a row that nobody looks for, the walk of a status stops. */
export const OTHERS_IN_A_ROW = 300;
/** Consumers: fills may follow their order by so much. Then the newest fills are read. */
export const FILLS_FOLLOW_MS_MAX = 2_000;
/** The service: tries to read the fills of one order. Then they are told as incomplete. */
export const ORDER_FILLS_READS_MAX = 4;
/** The first pause between these tries, which doubles. */
export const ORDER_FILLS_READ_MS = 5_000;
/** The service: pages of one such try. */
export const ORDER_FILLS_PAGES_MAX = 50;
/** Memory: orders with incomplete fills at the same time. The first is dropped, and not told as incomplete. */
export const INCOMPLETE_ORDERS_MAX = 1_000;

// What is learned of numbers

/** The service, from jumps that mean nothing. After so many reads in a row that found nothing missing they count as normal. */
export const EMPTY_READS_MAX = 3;

// Commands

/** Whoever waits for a command. Without an answer by then its outcome is unknown, and is looked up. */
export const COMMAND_MS_MAX = 10_000;
/** Memory. With so many waiting a command is refused, and nothing is sent. */
export const COMMANDS_PENDING_MAX = 1_000;
/** The service, from a subscription for each command. Updates of orders stay subscribed so long after one. */
export const ORDERS_KEPT_MS = 60_000;
