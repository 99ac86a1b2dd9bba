/** Every limit of the stream in one place. */

/** A connection that is not open by then is given up. */
export const HANDSHAKE_MS_MAX = 10_000;
/** How often the service is asked for a sign of life. */
export const PING_EVERY_MS = 20_000;
/** A connection that said nothing for so long is dead, whatever TCP thinks. */
export const SILENCE_MS_MAX = 45_000;
/** A subscription that is not confirmed by then starts over on a new connection. */
export const CONFIRMATION_MS_MAX = 10_000;
/** A connection that held for so long counts as good again. */
export const STABLE_AFTER_MS = 60_000;
/** An unused connection is kept for so long, because a redeploy asks for it again at once. */
export const IDLE_MS_MAX = 30_000;
/** A connection that lasted so long did not end because of what it had to replay. */
export const REPLAY_MS_MAX = 10_000;
/** Connections in a row that end during the replay of a topic, after which it is subscribed without one. */
export const REPLAYS_IN_VAIN_MAX = 4;
/** A first connection that leads to no confirmed subscription by then is reported. */
export const READY_MS_MAX = 30_000;

/** Full jitter below this bound, doubled with every try. */
export const RECONNECT_BASE_MS = 500;
/** The bound stops here at first, so that a short outage is followed by a quick return. */
export const RECONNECT_SOON_MS_MAX = 8_000;
/** And here once the outage has lasted. */
export const RECONNECT_MS_MAX = 30_000;
export const RECONNECT_SOON_FOR_MS = 600_000;
/** Connections opened within a window; the next one waits until the window has room. */
export const RECONNECTS_PER_WINDOW_MAX = 40;
export const RECONNECT_WINDOW_MS = 120_000;
/** The floor after `rate_limited`, doubled with every repetition. (Interface, part 8.) */
export const LIMITED_FLOOR_MS = 5_000;
export const LIMITED_MS_MAX = 120_000;

/** Longest message that is read at all, in characters. */
export const MESSAGE_LENGTH_MAX = 1024 * 1024;
/** Messages of a topic held while its history is being read. */
export const HELD_MAX = 10_000;
export const HELD_LENGTH_MAX = 32 * 1024 * 1024;
/** A topic is not held longer, however slow the reading is. */
export const HOLD_MS_MAX = 5_000;

/** Events waiting for one consumer before its connection is asked to wait too. */
export const QUEUE_MAX = 1_000;
/** Events waiting for one consumer before it lets go and catches up later. */
export const QUEUE_HARD_MAX = 5_000;
/** The same by the length of what waits, in characters: events may be large. */
export const QUEUE_LENGTH_MAX = 8 * 1024 * 1024;
export const QUEUE_HARD_LENGTH_MAX = 32 * 1024 * 1024;
/** Changes of one order book waiting for one consumer before they make room for the whole book. */
export const BOOK_BACKLOG_MAX = 100;
/** No consumer may hold up a shared connection longer. */
export const PAUSE_MS_MAX = 30_000;
export const TAKE_RETRY_MS = { base: 1_000, cap: 60_000 };
/** A position that moved without an event is reported this often at most. */
export const QUIET_MOVE_EVERY_MS = 10_000;

/** Event keys one consumer remembers per topic while it runs: half of them at least, which is all that one reading reads. */
export const REMEMBERED_MAX = 40_000;
/** Event keys it stores per topic however old they are, as digests of 10 characters. */
export const STORED_KEYS_MIN = 500;
/**
 * And at most, of what a reading would show again: at 100 a second, the 60 seconds readings overlap, up to 50 until the
 * next reading, 12 a list lags behind, and 28 that it takes to read that much.
 */
export const STORED_KEYS_MAX = 15_000;
/** Open orders it stores; with more it reads the whole list when it comes back. */
export const STORED_OPEN_MAX = 2_000;
/** Ended orders it stores, which a replay or a reading may show again. */
export const STORED_ENDED_MAX = 300;
/** Open orders one consumer follows; with more, the whole list is read. */
export const OPEN_ORDERS_MAX = 20_000;
/** A state that readings show against what was told counts once it is shown for longer than lists lag behind. */
export const CORRECTION_CONFIRMED_AFTER_MS = 30_000;
/** Ended orders remembered to keep their statuses in order. */
export const ORDERS_MAX = 20_000;

/** When REST is read after a subscription and after a suspicion: a list may lag behind the stream. */
export const READ_AFTER_MS = [0, 5_000, 20_000] as const;
/** And regularly, because a message may be lost without a sign. */
export const READ_EVERY_MS = 45_000;
/** And where jumps of the numbers proved to be normal. */
export const READ_SPARSE_EVERY_MS = 45_000;
/** How far a list is expected to lag behind the stream. */
export const READ_LAG_MS_MAX = 12_000;
export const READS_PER_MINUTE_MAX = 12;
/** Readings for those who come one after the other, as after a restart, are shared at pauses that grow to this. */
export const NEWCOMERS_SPACING_MS = { base: 1_000, cap: 15_000 };
export const READ_SPACING_MS = 1_000;
export const READ_RETRY_MS = { base: 1_000, cap: 30_000 };
/** A key that may not read is tried again at pauses that grow to this. */
export const REFUSED_RETRY_MS = { base: 5_000, cap: 600_000 };
/** The same of a connection whose key is refused. */
export const REFUSED_CONNECT_MS = { base: 30_000, cap: 600_000 };
/** Refusals in a row after which a refused key is reported: one alone may pass. */
export const REFUSALS_CONFIRM = 3;
/** The same of a single topic, and the pauses at which one that was there before is tried again. */
export const TOPIC_REFUSALS_CONFIRM = 2;
export const TOPIC_RETRY_MS = { base: 30_000, cap: 600_000 };
/** How soon a refusal is asked about again, to confirm it. */
export const REFUSAL_AGAIN_MS = 1_000;
/** When a first reading that failed is tried again. */
export const BASELINE_AGAIN_MS = 5_000;
/** Pages read before what they hold is delivered. */
export const PAGES_PER_SLICE = 10;
export const SLICE_MS_MAX = 2_000;
/** A long reading pauses so long after each slice, so that it leaves the service room for others. */
export const SLICE_PAUSE_MS = 500;
/** Pages of one reading, over all its slices, after which it stops and says so. */
export const PAGES_MAX = 5_000;
/** A list in no known order is read whole, and then rests so long for every page it has. */
export const REST_PER_PAGE_MS = 500;
/** Rows looked at when a consumer starts for the first time. */
export const BASELINE_ITEMS_MAX = 500;
/** A first reading serves those who come within so long, */
export const BASELINE_SHARED_MS = 60_000;
/** and unless more than this has happened since. */
export const BASELINE_SHARED_EVENTS_MAX = 1_000;
/** Settled rows in a row behind which an ordered list holds nothing new. */
export const KNOWN_IN_A_ROW = 50;
/** How far behind the newest known item a reading goes, because lists lag and items overtake each other. */
export const READ_OVERLAP_MS = 60_000;
/** Open orders read one by one in one reading; more are looked for in lists by status. */
export const SINGLE_READS_MAX = 20;
/** Pages of lists by status in one reading. */
export const STATUS_PAGES_MAX = 150;
/** Tries of one of them in a first reading, with a growing pause between. */
export const STATUS_TRIES_MAX = 3;
export const STATUS_RETRY_MS = 1_000;
/** How long the fills of an order may take to follow it before they are looked for, */
export const FILLS_FOLLOW_MS_MAX = 2_000;
/** and how long, longer than lists lag behind, before every fill of the order is read. */
export const FILLS_LATE_MS = 30_000;
/** Readings of one order's fills that may fail, doubling this pause, */
export const ORDER_FILLS_READS_MAX = 4;
export const ORDER_FILLS_READ_MS = 5_000;
/** and pages one of them reads. */
export const ORDER_FILLS_PAGES_MAX = 50;
/** Orders whose fills are looked for at once; the one that waits longest makes room. */
export const INCOMPLETE_ORDERS_MAX = 1_000;
/** Public trades caught up after a gap; what lies beyond is named as a gap. */
export const TRADES_CAUGHT_UP_MAX = 10_000;
export const COMMAND_MS_MAX = 10_000;
export const COMMANDS_PENDING_MAX = 1_000;
/** The order updates stay subscribed for so long after a command. */
export const ORDERS_KEPT_MS = 60_000;
