/**
 * Every limit of the stream: what happens at it, and whom that protects. The page on the stream sends its readers here,
 * so each comment must be understood without those around it. Times are milliseconds; `base` and `cap` are the first
 * pause of several and the longest.
 */

// Connections

/**
 * A connection attempt is given up after this time, because a network that swallows packets never refuses one. The next
 * attempt follows after the usual pause.
 */
export const HANDSHAKE_MS_MAX = 10_000;
/** A ping is sent after this much silence, because a proxy cuts a connection that is quiet for long. */
export const PING_EVERY_MS = 20_000;
/**
 * A connection counts as lost after this much silence, whatever TCP reports. Without this a consumer would wait on one that
 * died unseen.
 */
export const SILENCE_MS_MAX = 45_000;
/**
 * A topic that is not confirmed within this time is asked for again, because the confirmation may be lost. If the connection
 * confirmed no topic at all, a new one is opened.
 */
export const CONFIRMATION_MS = { base: 10_000, cap: 40_000 };
/**
 * A first connection that confirms no topic within this time is reported as an error, so that whoever starts a trigger does
 * not wait for ever.
 */
export const READY_MS_MAX = 30_000;
/**
 * A connection that carries no topic is closed after this time. A redeploy closes and opens within seconds, and should not
 * cost the service a new connection.
 */
export const IDLE_MS_MAX = 30_000;
/**
 * Messages count as replayed for this long after a resume whose confirmation names no position, because old numbers look
 * like a new count of the service.
 */
export const REPLAYED_FOR_MS = 2_000;

// Reconnects

/**
 * The pause before a reconnect is random, up to a bound that doubles with every try. It protects the service in a long
 * outage, and when all clients come back at once.
 */
export const RECONNECT_MS = { base: 500, cap: 15_000 };
/**
 * A connection that stayed open this long makes the next pause short again, so that one that ends soon after each opening
 * is not opened all the time.
 */
export const STABLE_AFTER_MS = 60_000;
/**
 * The pause after the service said `rate_limited` is random between this and twice as much. It doubles with every
 * repetition.
 */
export const LIMITED_MS = { base: 5_000, cap: 60_000 };

// Refusals

/**
 * A key counts as refused after this many refusals in a row, and is reported then, because a single refusal may be
 * temporary.
 */
export const REFUSALS_CONFIRM = 3;
/**
 * A topic counts as refused after this many refusals in a row, and its subscription fails then, because a single refusal may
 * be temporary.
 */
export const TOPIC_REFUSALS_CONFIRM = 2;
/** A refused request is repeated after this pause, to confirm the refusal. */
export const REFUSAL_AGAIN_MS = 1_000;
/**
 * A key or a topic that the service has refused repeatedly is tried again after these pauses, so that it works again once
 * somebody has granted the permission.
 */
export const REFUSED_AGAIN_MS = { base: 30_000, cap: 600_000 };
/** A list whose reads are refused is read again after these pauses, while live events still flow. */
export const REFUSED_RETRY_MS = { base: 5_000, cap: 600_000 };
/**
 * A topic counts as live only after this many refused reads of its list in a row. Its consumers are told, because what a cut
 * of the stream loses is then a gap.
 */
export const UNREADABLE_AFTER = 2;

// Messages

/** A message of more characters is not parsed, because it would take too much memory. What it held is read over REST. */
export const MESSAGE_LENGTH_MAX = 1024 * 1024;
/** Records of a payload are looked for this many levels deep, so that lists within lists cannot keep the parser busy. */
export const PAYLOAD_DEPTH_MAX = 4;
/** An epoch of more characters counts as absent, because checkpoints hold it. */
export const EPOCH_LENGTH_MAX = 200;
/** This many live messages of a topic wait for a read, which bounds the memory. When there are more, they no longer wait. */
export const HELD_MAX = 10_000;
/**
 * Live messages of a topic that wait for a read have at most this many characters together, which bounds the memory. Beyond
 * it they no longer wait.
 */
export const HELD_LENGTH_MAX = 32 * 1024 * 1024;
/**
 * Live messages wait this long for a read. After that they are delivered without it, because a slow list should not delay
 * events.
 */
export const HOLD_MS_MAX = 5_000;
/**
 * The time in a message is read once in this interval, because parsing each one would cost more than the delay in the status
 * is worth.
 */
export const TIME_READ_EVERY_MS = 100;

// Slow hosts

/** While this many entries wait for a consumer, no list is read for it, because its host has enough to do. */
export const WAITING_MAX = 1_000;
/** While entries of this many characters together wait for a consumer, no list is read for it. This bounds the memory. */
export const WAITING_LENGTH_MAX = 8 * 1024 * 1024;
/**
 * When this many entries wait for a consumer, it falls behind: it skips them, and reads over REST what it missed. This
 * protects memory from a slow host.
 */
export const LAG_MAX = 5_000;
/**
 * When entries of this many characters together wait for a consumer, it falls behind, and reads over REST what it missed.
 * This protects memory from a slow host.
 */
export const LAG_LENGTH_MAX = 32 * 1024 * 1024;
/**
 * When this many changes of a book wait for a consumer, a snapshot replaces them, because old changes are worth nothing to
 * whoever reads a book.
 */
export const BOOK_BACKLOG_MAX = 100;
/** Events that a host failed to take are offered again after these pauses. */
export const TAKE_RETRY_MS = { base: 1_000, cap: 60_000 };
/** A position that moved without an event is stored at most once in this interval, to spare the disk of the host. */
export const QUIET_MOVE_EVERY_MS = 10_000;
/**
 * The checkpoint of a consumer that catches up is worked out at most once in this interval, because it lists every key that
 * is known and takes long.
 */
export const CATCHING_UP_STORED_EVERY_MS = 1_000;
/**
 * Acknowledged entries are looked for once in this many new ones, because each time some are dropped all others are moved.
 */
export const TRIMMED_EVERY = 100;
/**
 * A row of a list counts as this many characters while it waits for a consumer, because only messages tell their length. Pages
 * are limited.
 */
export const ROW_LENGTH = 1_000;
/**
 * This many acknowledged entries of a topic are kept for consumers who come back. A consumer that needs earlier ones reads
 * them over REST.
 */
export const RETAINED_MAX = 200;

// Memory of a topic

/** This many notices of a topic are remembered for each consumer. A forgotten one may be told again, under its key. */
export const NOTICES_TOLD_MAX = 1_000;

/**
 * At least this many identifiers of a topic are kept before old ones are forgotten, and the latest half of them always,
 * because a replay may repeat events that lists show no more.
 */
export const KEYS_MIN = 20_000;
/**
 * At most this many identifiers of a topic are kept, about 30 MB. They grow so far only while no read succeeds. Beyond this
 * the oldest quarter is forgotten.
 */
export const KEYS_MAX = 600_000;
/**
 * Where events carry no identifier, equal ones are counted for this many different contents. When there are more, a copy of
 * a forgotten one counts as a new event.
 */
export const CONTENTS_MAX = 20_000;
/**
 * The positions on the stream of this many events without an identifier are kept. When there are more, a repeated
 * message from a forgotten position counts as a new event.
 */
export const PLACES_MAX = 40_000;
/**
 * While a number is missing, this many later numbers of trades are kept. When there are more, only a read shows that
 * everything up to them is known.
 */
export const ABOVE_MAX = 50_000;
/**
 * The fills of this many orders are added up, and those of the latest half in any case. The sum of an order that was
 * forgotten begins again.
 */
export const SUMMED_ORDERS_MAX = 20_000;
/**
 * This many open orders are followed, at about 100 characters each. When there are more, the end of the oldest arrives only
 * if the stream reports it.
 */
export const OPEN_ORDERS_MAX = 20_000;
/**
 * This many ended orders are remembered, so that a late update does not reopen one. A late update of an order that was
 * forgotten is delivered again.
 */
export const ENDED_ORDERS_MAX = 20_000;
/**
 * This many earlier prices and quantities of one order are kept. A late update that repeats a forgotten one looks like a new
 * amendment, and is delivered again.
 */
export const TERMS_MAX = 10;

// Checkpoint

/**
 * A checkpoint holds at least this many of the latest identifiers, whatever their age, as fingerprints of 10 characters.
 * They tell a replay after a restart from new events.
 */
export const STORED_KEYS_MIN = 500;
/**
 * A checkpoint holds at most this many identifiers, to spare the store of the host. It is what the next read may repeat at
 * 100 events a second: the 60 seconds that reads overlap, up to 50 between two reads, the 12 that a list lags behind, and 28
 * to read that many. At a higher rate a crash delivers some events again, under the same key.
 */
export const STORED_KEYS_MAX = 15_000;
/**
 * A checkpoint holds at most this many identifiers of a list whose rows have no time, because each read shows all of its
 * rows again.
 */
export const STORED_UNDATED_KEYS_MAX = 50_000;
/**
 * A checkpoint holds at least this many of the orders that ended last, because a replay or a read may repeat them. An order
 * that ended earlier could be delivered again after a restart.
 */
export const STORED_ENDED_MIN = 300;
/**
 * A checkpoint holds at most this many of the orders that ended within `LISTED_AFTER_MS`, which a late list may still show
 * as open: 100 a second. Where more end, a crash may deliver them again.
 */
export const STORED_ENDED_MAX = 3_000;

// When lists are read

/**
 * A list is read at these delays after a subscription or a sign of missing events. It is read several times because lists
 * lag behind the stream.
 */
export const READ_AFTER_MS = [0, 5_000, 20_000] as const;
/** A list is read this often without any sign of missing events, and where jumps of the numbers have proved normal. */
export const READ_EVERY_MS = 45_000;
/**
 * A list is expected to show within this time what the stream has shown. Only a read that begins later proves that nothing
 * is missing.
 */
export const READ_LAG_MS_MAX = 12_000;
/**
 * What a list has not shown for this long is not merely late. The event is missing, or what the list shows instead is true.
 */
export const LISTED_AFTER_MS = 30_000;
/**
 * A topic is read at most this many times a minute, because every message of it may show a hole. Further reads of that
 * minute wait.
 */
export const READS_PER_MINUTE_MAX = 12;
/** Reads of a topic that are due within this time of each other are one read, to spare the service. */
export const READ_SPACING_MS = 1_000;
/**
 * A read for new consumers begins at least this long after the one before, so that triggers that start one after another
 * share a read.
 */
export const NEWCOMERS_SPACING_MS = 10_000;
/** A consumer that joins needs no read of its own while the last complete one is younger than this. */
export const REUSED_MS_MAX = 60_000;
/** A read that failed is repeated after these pauses, to spare a service in trouble. */
export const READ_RETRY_MS = { base: 1_000, cap: 30_000 };
/**
 * A snapshot of a book that was too old is read again after this pause. It is short, because changes are stale until then.
 */
export const OUTDATED_AGAIN_MS = 2_000;
/**
 * All topics of an account together have this many reads under way, so that they do not use up the rate limit. Further reads
 * wait, and private topics come first.
 */
export const READS_AT_ONCE_MAX = 10;
/** A timer may fire this much early and still counts as due, because those of Node drop fractions of a millisecond. */
export const EARLY_MS = 10;

// How far lists are read

/** A read begins this long before the newest known row, because lists lag behind and rows appear out of order. */
export const READ_OVERLAP_MS = 60_000;
/** An ordered list is read no further after this many settled rows in a row, to spare the service. */
export const KNOWN_IN_A_ROW = 50;
/**
 * This many rows may be dated ahead of all others, by a wrong clock, without deciding up to when a list is settled. A list
 * of no more rows is not taken for one that dropped the rest.
 */
export const DATED_AHEAD_MAX = 9;
/** A page of fewer rows never counts as full, so that a short page is not taken for a list that dropped its earlier rows. */
export const FULL_PAGE_MIN = 10;
/**
 * A first start reads this many rows of a list that begins with the newest, however long the list is. All further rows
 * count as old.
 */
export const BASELINE_ITEMS_MAX = 500;
/** After this many pages in a row a read delivers what it has found and pauses, so that other requests get their turn. */
export const PAGES_PER_SLICE = 10;
/** After this time in a row a read delivers what it has found and pauses, so that other requests get their turn. */
export const SLICE_MS_MAX = 2_000;
/** A long read pauses this long after each stretch of pages, which leaves the rate limit to other requests. */
export const SLICE_PAUSE_MS = 500;
/** A read begins again after this many failures of one page, because the rows before it have changed meanwhile. */
export const PAGE_TRIES_MAX = 4;
/** After a long absence this many missed trades are read, to spare the service. The trades beyond are reported as a gap. */
export const TRADES_CAUGHT_UP_MAX = 10_000;
/**
 * Two times of one event may differ by this much, because one may be written in whole seconds and the other with
 * milliseconds.
 */
export const TIMES_APART_MS = 1_000;

// Orders and their fills

/**
 * Open orders that no page has shown are looked up one by one, this many in one read. When there are more, they are looked
 * up in lists by status first.
 */
export const SINGLE_READS_MAX = 20;
/**
 * A read looks up orders on this many pages of lists by status. Orders that are on none of them are looked up by the next
 * read.
 */
export const STATUS_PAGES_MAX = 150;
/**
 * A list by status is read no further after this many rows in a row that nobody looks for, because the service may ignore
 * the filter.
 */
export const OTHERS_IN_A_ROW = 300;
/**
 * The fills of an order are expected within this time after its update. If some are missing then, the newest fills are read.
 */
export const FILLS_FOLLOW_MS_MAX = 2_000;
/**
 * A failing read of the fills of one order is tried this many times. After the last failure the fills are reported as
 * incomplete.
 */
export const ORDER_FILLS_READS_MAX = 4;
/** A failed read of the fills of one order is repeated after this pause, which doubles each time. */
export const ORDER_FILLS_READ_MS = 5_000;
/** A read of the fills of one order reads this many pages, to spare the service. */
export const ORDER_FILLS_PAGES_MAX = 50;
/**
 * This many orders with incomplete fills are followed at the same time. When there are more, the first is dropped and never
 * reported as incomplete.
 */
export const INCOMPLETE_ORDERS_MAX = 1_000;

// What is learned of numbers

/**
 * Jumps of the numbers count as normal after this many reads in a row that found nothing missing. Lists are then read less
 * often, which spares the service.
 */
export const EMPTY_READS_MAX = 3;

// Commands

/** A command without an answer within this time ends with an unknown outcome, which is then looked up. */
export const COMMAND_MS_MAX = 10_000;
/** While this many commands wait for their answers, a further one is refused and nothing is sent. This bounds the memory. */
export const COMMANDS_PENDING_MAX = 1_000;
/**
 * Updates of orders stay subscribed this long after a command, so that the service does not get a subscription for each one.
 */
export const ORDERS_KEPT_MS = 60_000;
