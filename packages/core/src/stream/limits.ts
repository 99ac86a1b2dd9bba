/**
 * Every limit of the stream: what happens at it, and whom that protects. Times are milliseconds; `base` and `cap` are
 * the first pause of several and the longest.
 */

// Connections

/** A connection attempt is given up after this time, because a network that swallows packets never refuses one. */
export const HANDSHAKE_MS_MAX = 10_000;
/** A ping is sent after this much silence, because a proxy cuts a connection that is quiet for long. */
export const PING_EVERY_MS = 20_000;
/** A connection counts as lost after this much silence, or a consumer would wait on one that died unseen. */
export const SILENCE_MS_MAX = 45_000;
/** A topic that is not confirmed within this time is asked for again, because the confirmation may be lost. */
export const CONFIRMATION_MS = { base: 10_000, cap: 40_000 };
/** A first connection that confirms no topic within this time fails: whoever starts a trigger waits for it. */
export const READY_MS_MAX = 30_000;
/** A connection that carries no topic is closed after this time, so that a redeploy costs no new connection. */
export const IDLE_MS_MAX = 30_000;
/** Messages count as replayed for this long after a resume whose confirmation names no position to compare. */
export const REPLAYED_FOR_MS = 2_000;

// Reconnects

/** The pause before a reconnect is random, up to a bound that doubles: all clients of a service come back at once. */
export const RECONNECT_MS = { base: 500, cap: 15_000 };
/** A connection that stayed open this long makes the next pause short again; one that ends sooner does not. */
export const STABLE_AFTER_MS = 60_000;
/** The pause after the service said `rate_limited`, up to twice as long, and doubled with every repetition. */
export const LIMITED_MS = { base: 5_000, cap: 60_000 };

// Refusals

/** A key counts as refused, and is reported, after this many refusals in a row: a single one may be temporary. */
export const REFUSALS_CONFIRM = 3;
/** A subscription fails after this many refusals of its topic in a row, because a single one may be temporary. */
export const TOPIC_REFUSALS_CONFIRM = 2;
/** A refused request is repeated after this pause, to confirm the refusal. */
export const REFUSAL_AGAIN_MS = 1_000;
/** A refused key or topic is tried again after these pauses, so that it works once somebody grants the permission. */
export const REFUSED_AGAIN_MS = { base: 30_000, cap: 600_000 };
/** A list whose reads are refused is read again after these pauses, while live events still flow. */
export const REFUSED_RETRY_MS = { base: 5_000, cap: 600_000 };
/** After this many refused reads of its list in a row a topic is live only: what a cut of it loses is a gap. */
export const UNREADABLE_AFTER = 2;

// Messages

/** A message of more characters is not parsed, to spare the memory. What it held is read over REST. */
export const MESSAGE_LENGTH_MAX = 1024 * 1024;
/** Records of a payload are looked for this many levels deep, so that nested lists cannot keep the parser busy. */
export const PAYLOAD_DEPTH_MAX = 4;
/** An epoch of more characters counts as absent, because checkpoints hold it. */
export const EPOCH_LENGTH_MAX = 200;
/** When more live messages of a topic wait for a read, they wait no longer. This bounds the memory. */
export const HELD_MAX = 10_000;
/** When live messages of more characters wait for a read, they wait no longer. This bounds the memory. */
export const HELD_LENGTH_MAX = 32 * 1024 * 1024;
/** Live messages wait this long for a read, because a slow list should not delay events. */
export const HOLD_MS_MAX = 5_000;
/** The time in a message is read once in this interval, because parsing each costs more than the status is worth. */
export const TIME_READ_EVERY_MS = 100;

// Slow hosts

/** While this many entries wait for a consumer, no list is read for it, because its host has enough to do. */
export const WAITING_MAX = 1_000;
/** While entries of this many characters wait for a consumer, no list is read for it. This bounds the memory. */
export const WAITING_LENGTH_MAX = 8 * 1024 * 1024;
/** When this many entries wait for a consumer, it skips them, to spare the memory, and reads them over REST later. */
export const LAG_MAX = 5_000;
/** When entries of this many characters wait for a consumer, it skips them, and reads them over REST later. */
export const LAG_LENGTH_MAX = 32 * 1024 * 1024;
/** When this many changes of a book wait for a consumer, a snapshot replaces them: old changes are worth nothing. */
export const BOOK_BACKLOG_MAX = 100;
/** Events that a host failed to take are offered again after these pauses. */
export const TAKE_RETRY_MS = { base: 1_000, cap: 60_000 };
/** A position that moved without an event is stored at most once in this interval, to spare the disk of the host. */
export const QUIET_MOVE_EVERY_MS = 10_000;
/** A checkpoint is worked out this seldom while a consumer catches up, because it lists every key that is known. */
export const CATCHING_UP_STORED_EVERY_MS = 1_000;
/** Acknowledged entries are dropped once in this many new ones, because each time all others are moved. */
export const TRIMMED_EVERY = 100;
/** A row of a list counts as this many characters while it waits, because only messages tell their length. */
export const ROW_LENGTH = 1_000;
/** This many acknowledged entries of a topic are kept for consumers who come back, who would have to read them. */
export const RETAINED_MAX = 200;

// Memory of a topic

/** This many notices of a topic are remembered for each consumer. A forgotten one may be told again, under its key. */
export const NOTICES_TOLD_MAX = 1_000;
/** At least this many identifiers of a topic are kept, because a replay may repeat events that lists show no more. */
export const KEYS_MIN = 20_000;
/** The oldest quarter of so many identifiers, about 30 MB, is forgotten. Only failing reads let them grow so far. */
export const KEYS_MAX = 600_000;
/** Equal events without an identifier are counted for this many contents. A copy of a forgotten one counts as new. */
export const CONTENTS_MAX = 20_000;
/** The positions of this many events without an identifier are kept. A repeat from a forgotten one counts as new. */
export const PLACES_MAX = 40_000;
/** While a number is missing, this many later ones are kept. Beyond them only a read shows what is complete. */
export const ABOVE_MAX = 50_000;
/** The fills of this many orders are added up, of the latest half always. A forgotten sum begins again. */
export const SUMMED_ORDERS_MAX = 20_000;
/** This many open orders are followed. Beyond it the end of the oldest arrives only if the stream reports it. */
export const OPEN_ORDERS_MAX = 20_000;
/** This many ended orders are remembered. A late update of a forgotten one is delivered again. */
export const ENDED_ORDERS_MAX = 20_000;
/** This many earlier terms of an order are kept. A late update with forgotten ones looks like a new amendment. */
export const TERMS_MAX = 10;

// Checkpoint

/** A checkpoint holds this many of the latest identifiers, whatever their age, to tell a replay from new events. */
export const STORED_KEYS_MIN = 500;
/**
 * A checkpoint holds this many identifiers at most, to spare the store of the host. The next read may repeat them at
 * 100 events a second: the 60 s that reads overlap, up to 50 between two reads, the 12 that a list lags, and 28 to read
 * that many. At a higher rate a crash delivers some events again, under the same key.
 */
export const STORED_KEYS_MAX = 15_000;
/** A checkpoint holds this many identifiers of a list without times, because each read shows all of its rows again. */
export const STORED_UNDATED_KEYS_MAX = 50_000;
/** A checkpoint holds this many of the orders that ended last. The end of an earlier one may be delivered again. */
export const STORED_ENDED_MIN = 300;
/** A checkpoint holds this many orders that ended within `LISTED_AFTER_MS`, which a late list may show as open. */
export const STORED_ENDED_MAX = 3_000;

// When lists are read

/** A list is read this long after a subscription or a sign of missing events, several times, because lists lag. */
export const READ_AFTER_MS = [0, 5_000, 20_000] as const;
/** A list is read this often without any sign of missing events, and where jumps of the numbers have proved normal. */
export const READ_EVERY_MS = 45_000;
/** A list shows what the stream has shown within this time. Only a later read proves that nothing is missing. */
export const READ_LAG_MS_MAX = 12_000;
/** What a list has not shown for this long is missing, not late, or what it shows instead is true. */
export const LISTED_AFTER_MS = 30_000;
/** A topic is read at most this many times a minute, to spare the service: every message may show a hole. */
export const READS_PER_MINUTE_MAX = 12;
/** Reads of a topic that are due within this time of each other are one read, to spare the service. */
export const READ_SPACING_MS = 1_000;
/** A read for newcomers begins this long after the one before, so that triggers that start in a row share one. */
export const NEWCOMERS_SPACING_MS = 10_000;
/** A consumer that joins needs no read of its own while the last complete one is younger than this. */
export const REUSED_MS_MAX = 60_000;
/** A read that failed is repeated after these pauses, to spare a service in trouble. */
export const READ_RETRY_MS = { base: 1_000, cap: 30_000 };
/** A snapshot of a book that was too old is read again after this short pause, because changes are stale until then. */
export const OUTDATED_AGAIN_MS = 2_000;
/** All topics of an account have this many reads under way, to leave the rate limit to others. Further reads wait. */
export const READS_AT_ONCE_MAX = 10;
/** A timer may fire this much early and still counts as due, because those of Node drop fractions of a millisecond. */
export const EARLY_MS = 10;

// How far lists are read

/** A read begins this long before the newest known row, because lists lag behind and rows appear out of order. */
export const READ_OVERLAP_MS = 60_000;
/** An ordered list is read no further after this many settled rows in a row, to spare the service. */
export const KNOWN_IN_A_ROW = 50;
/** This many rows may be dated ahead by a wrong clock. A list of no more is not taken for one that dropped some. */
export const DATED_AHEAD_MAX = 9;
/** A page of fewer rows never counts as full, so it is not taken for a list that dropped its earlier rows. */
export const FULL_PAGE_MIN = 10;
/** A first start reads this many rows of a list that begins with the newest, however long it is. The rest is old. */
export const BASELINE_ITEMS_MAX = 500;
/** After this many pages in a row a read delivers what it has found and pauses, for the turn of other requests. */
export const PAGES_PER_SLICE = 10;
/** After this time in a row a read delivers what it has found and pauses, for the turn of other requests. */
export const SLICE_MS_MAX = 2_000;
/** A long read pauses this long after each stretch of pages, which leaves the rate limit to other requests. */
export const SLICE_PAUSE_MS = 500;
/** A read begins again after this many failures of one page, because the rows before it have changed meanwhile. */
export const PAGE_TRIES_MAX = 4;
/** After a long absence this many missed trades are read, to spare the service. The trades beyond are a gap. */
export const TRADES_CAUGHT_UP_MAX = 10_000;
/** Two times of one event may differ by this much, because one may be written in whole seconds. */
export const TIMES_APART_MS = 1_000;

// Orders and their fills

/** Open orders on no page are looked up singly, this many in one read. More are looked up by status first. */
export const SINGLE_READS_MAX = 20;
/** A read looks up orders on this many pages of lists by status. Orders on none of them wait for the next read. */
export const STATUS_PAGES_MAX = 150;
/** A list by status is left after this many other rows in a row, because the service may ignore the filter. */
export const OTHERS_IN_A_ROW = 300;
/** The fills of an order are expected within this time after its update. Else the newest fills are read. */
export const FILLS_FOLLOW_MS_MAX = 2_000;
/** The fills of one order are read this many times if that fails. Then they are reported as incomplete. */
export const ORDER_FILLS_READS_MAX = 4;
/** A failed read of the fills of one order is repeated after this pause, which doubles each time. */
export const ORDER_FILLS_READ_MS = 5_000;
/** A read of the fills of one order reads this many pages, to spare the service. */
export const ORDER_FILLS_PAGES_MAX = 50;
/** This many orders with incomplete fills are followed. When there are more, the first is never reported. */
export const INCOMPLETE_ORDERS_MAX = 1_000;
/** Jumps of the numbers are normal after this many reads in a row without news. Lists are read less often then. */
export const EMPTY_READS_MAX = 3;

// Commands

/** A command without an answer within this time ends with an unknown outcome, which is then looked up. */
export const COMMAND_MS_MAX = 10_000;
/** While this many commands wait, a further one is refused and nothing is sent. This bounds the memory. */
export const COMMANDS_PENDING_MAX = 1_000;
/** Updates of orders stay subscribed this long after a command, so that the next one needs no new subscription. */
export const ORDERS_KEPT_MS = 60_000;
