/** Every limit of the stream in one place. */

/** A connection attempt is given up after this time. */
export const HANDSHAKE_MS_MAX = 10_000;
/** A ping is sent after this much silence. */
export const PING_EVERY_MS = 20_000;
/** A connection without any message for this long counts as dead, whatever TCP reports. */
export const SILENCE_MS_MAX = 45_000;
/**
 * A subscription that is not confirmed in this time is tried again. If no topic of the connection was confirmed, that is
 * on a new connection, where the time doubles up to `cap`: a service under load may need longer.
 */
export const CONFIRMATION_MS = { base: 10_000, cap: 40_000 };
/** A connection that stayed open this long counts as stable, which resets the backoff. */
export const STABLE_AFTER_MS = 60_000;
/** An unused connection is kept open this long, because a redeploy needs it again at once. */
export const IDLE_MS_MAX = 30_000;
/** A connection that stayed open this long did not end because of a replay. */
export const REPLAY_MS_MAX = 10_000;
/** Consecutive connections that end during the replay of a topic, after which it is subscribed without resume. */
export const FAILED_REPLAYS_MAX = 4;
/** A first connection without a confirmed subscription after this time is reported. */
export const READY_MS_MAX = 30_000;

/** A reconnect delay is random up to a bound (full jitter): this value, doubled with every try. */
export const RECONNECT_BASE_MS = 500;
/** The cap of that bound during the first minutes of an outage, so that a short outage ends in a quick reconnect. */
export const RECONNECT_SOON_MS_MAX = 8_000;
/** The cap after `RECONNECT_SOON_FOR_MS` of outage. */
export const RECONNECT_MS_MAX = 30_000;
export const RECONNECT_SOON_FOR_MS = 600_000;
/** Connections that may be opened within the window; the next one waits. */
export const RECONNECTS_PER_WINDOW_MAX = 40;
export const RECONNECT_WINDOW_MS = 120_000;
/** The least reconnect delay after `rate_limited`, doubled with every repetition. (Interface, part 8.) */
export const LIMITED_FLOOR_MS = 5_000;
export const LIMITED_MS_MAX = 120_000;

/** The longest message that is parsed, in characters. */
export const MESSAGE_LENGTH_MAX = 1024 * 1024;
/** Live messages of one topic buffered during a backfill, by number and by characters. */
export const HELD_MAX = 10_000;
export const HELD_LENGTH_MAX = 32 * 1024 * 1024;
/** The longest time live messages are buffered, however slow the backfill is. */
export const HOLD_MS_MAX = 5_000;

/** Events queued for one subscriber before reading from its connection is paused. */
export const QUEUE_MAX = 1_000;
/** Events queued for one subscriber before further ones are dropped and backfilled later. */
export const QUEUE_HARD_MAX = 5_000;
/** `QUEUE_MAX` and `QUEUE_HARD_MAX` in characters of their messages, because events may be large. */
export const QUEUE_LENGTH_MAX = 8 * 1024 * 1024;
export const QUEUE_HARD_LENGTH_MAX = 32 * 1024 * 1024;
/** Changes of one order book queued for one subscriber before a snapshot replaces them. */
export const BOOK_BACKLOG_MAX = 100;
/** The longest time a slow subscriber may pause its connection. */
export const PAUSE_MS_MAX = 30_000;
/** The longest pause where others share the connection: past this, the slow one gets what it missed from the list. */
export const SHARED_PAUSE_MS_MAX = 2_000;
export const TAKE_RETRY_MS = { base: 1_000, cap: 60_000 };
/** The least interval of checkpoints for positions that moved without an event. */
export const QUIET_MOVE_EVERY_MS = 10_000;

/** Event keys one subscriber remembers per topic while it runs, whatever their age. */
export const KEYS_MIN = 20_000;
/**
 * The most of them, about 13 MB for all subscribers of a topic. Keys that no complete backfill has passed are remembered up
 * to this many, because a list may show their events again. Beyond it the first of the list are forgotten, which the
 * subscriber is told. They count as settled by the next complete backfill, so that none of them comes twice.
 */
export const KEYS_MAX = 600_000;
/** Keys of fills whose quantities are summed, at least the latest half. */
export const SUMMED_FILLS_MAX = 40_000;
/** Event keys a checkpoint holds per topic whatever their age, as digests of 10 characters. */
export const STORED_KEYS_MIN = 500;
/**
 * The most event keys a checkpoint holds: all that the next backfill may repeat at 100 events a second. That is the 60
 * seconds backfills overlap, up to 50 between them, 12 a list lags behind, and 28 to read that many.
 */
export const STORED_KEYS_MAX = 15_000;
/** The most keys of a list whose rows have no time, because every backfill shows all of them again. */
export const STORED_UNDATED_KEYS_MAX = 50_000;
/** Ended orders a checkpoint holds, because a replay or a backfill may repeat them. */
export const STORED_ENDED_MAX = 300;
/** Open orders that are followed and stored, some 100 characters each; with more, the whole list is read. */
export const OPEN_ORDERS_MAX = 20_000;
/** A state in REST that contradicts a delivered one counts once it has lasted longer than lists lag behind. */
export const CORRECTION_CONFIRMED_AFTER_MS = 30_000;
/** Ended orders remembered, so that a late update does not reopen one. */
export const ORDERS_MAX = 20_000;

/** Delays of the backfills after a subscription or a sign of missing events. Several, because lists lag behind. */
export const READ_AFTER_MS = [0, 5_000, 20_000] as const;
/** The interval of regular backfills, because a message may be lost without a sign. */
export const READ_EVERY_MS = 45_000;
/** The least interval of backfills that jumps of the sequence numbers cause, where jumps have proved normal. */
export const READ_SPARSE_EVERY_MS = 45_000;
/** How far a list is expected to lag behind the stream. */
export const READ_LAG_MS_MAX = 12_000;
export const READS_PER_MINUTE_MAX = 12;
/** A page of fewer rows never counts as full, because no request asks for fewer. */
export const FULL_PAGE_MIN = 10;
/** Subscribers that join one after another, as after a restart, share a backfill: the least time from one to the next. */
export const NEWCOMERS_SPACING_MS = 10_000;
export const READ_SPACING_MS = 1_000;
/** Pauses before a snapshot is read again that was older than the changes there were. */
export const OUTDATED_AGAIN_MS = { base: 1_000, cap: 8_000 };
export const READ_RETRY_MS = { base: 1_000, cap: 30_000 };
/** Pauses between reads with a key without read permission, growing to `cap`. */
export const REFUSED_RETRY_MS = { base: 5_000, cap: 600_000 };
/** Pauses between connections with a refused key. */
export const REFUSED_CONNECT_MS = { base: 30_000, cap: 600_000 };
/** Consecutive refusals after which a key is reported as refused: a single one may be temporary. */
export const REFUSALS_CONFIRM = 3;
/** Consecutive refusals of one topic that count, and the pauses between tries of a topic that was subscribed before. */
export const TOPIC_REFUSALS_CONFIRM = 2;
export const TOPIC_RETRY_MS = { base: 30_000, cap: 600_000 };
/** The delay before a refused request is repeated, to confirm the refusal. */
export const REFUSAL_AGAIN_MS = 1_000;
/** A slice is one part of a backfill: after these pages, or this time, its events are delivered. */
export const PAGES_PER_SLICE = 10;
export const SLICE_MS_MAX = 2_000;
/** The pause after each slice, which leaves the rate limit room for other requests. */
export const SLICE_PAUSE_MS = 500;
/** Tries of a page, after which a backfill begins anew: the rows before it have changed meanwhile. */
export const PAGE_TRIES_MAX = 4;
/** Pages of one backfill, over all its slices, after which it stops and reports a gap. */
export const PAGES_MAX = 5_000;
/** The pause per page after a list of unknown order, which is read whole. */
export const REST_PER_PAGE_MS = 500;
/** Rows a baseline reads of a list that shows the newest first. */
export const BASELINE_ITEMS_MAX = 500;
/** Acknowledged entries a log retains, for consumers that come back. */
export const RETAINED_MAX = 1_000;
/** How old the latest read may be for a log to serve those who join without another one. */
export const REUSED_MS_MAX = 60_000;
/** Reads of a list in a row that fail for good before its topic counts as live only. */
export const UNREADABLE_AFTER = 2;
/** Consecutive settled rows after which an ordered list holds nothing new. */
export const KNOWN_IN_A_ROW = 50;
/** How far before the newest known item a backfill reads, because lists lag and items appear out of order. */
export const READ_OVERLAP_MS = 60_000;
/** Rows of a list that may be dated ahead of all others before they decide up to when the list is settled. */
export const DATED_AHEAD_MAX = 9;
/** Open orders read one by one in one backfill; more are looked up in lists by status. */
export const SINGLE_READS_MAX = 20;
/** Pages of lists by status in one backfill. */
export const STATUS_PAGES_MAX = 150;
/** Reads of one account that are under way at the same time, over all its topics; further ones wait. */
export const READS_AT_ONCE_MAX = 10;
/** Tries of one page of a list by status in a baseline, with growing pauses. */
export const STATUS_TRIES_MAX = 3;
export const STATUS_RETRY_MS = 1_000;
/** How long after an order update its fills may arrive. Then the newest fills are read. */
export const FILLS_FOLLOW_MS_MAX = 2_000;
/** How long they may be missing. Then every fill of the order is read. It is longer than lists lag behind. */
export const FILLS_LATE_MS = 30_000;
/** Tries to read the fills of one order. */
export const ORDER_FILLS_READS_MAX = 4;
/** The first pause between these tries, which doubles. */
export const ORDER_FILLS_READ_MS = 5_000;
/** Pages that one such try reads at most. */
export const ORDER_FILLS_PAGES_MAX = 50;
/** Orders with incomplete fills at the same time; with more, the oldest is dropped. */
export const INCOMPLETE_ORDERS_MAX = 1_000;
/** Public trades backfilled after a jump; any beyond are reported as a gap. */
export const TRADES_CAUGHT_UP_MAX = 10_000;
/** Topics one wildcard may bring events of. */
export const WILDCARD_TOPICS_MAX = 500;
export const COMMAND_MS_MAX = 10_000;
export const COMMANDS_PENDING_MAX = 1_000;
/** How long `user.orders` stays subscribed after a command. */
export const ORDERS_KEPT_MS = 60_000;
