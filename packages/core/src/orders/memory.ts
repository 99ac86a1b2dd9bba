import { ExchangeError } from '../errors';
import { assertKind, wholeNumber } from '../given';
import { unlessStopped } from '../ports';
import type { PageLengths } from '../wire/page-length';
import { createOrderLogs, type OrderLogs } from './log/order-list';
import { orderIdIn, type RunResult } from './run';
import { isUntouched, newIntent, type IntentState, type Outcome } from './machine/state';
import { createBackgroundLookups, type BackgroundLookups } from './background-lookups';

/**
 * Intents kept in memory. The least recently used ones are forgotten first, but never one of unknown outcome: the same
 * message would be sent again. Where all are unknown, another order is refused.
 */
const INTENTS_MAX = 10_000;
/**
 * Share of the intents forgotten at once: a Map finds its oldest entry by walking over the deleted ones, so one by one
 * is slow.
 */
const FORGOTTEN_SHARE = 1 / 20;
/** Open intents returned by `open`. */
export const OPEN_SHOWN_MAX = 100;

/** Whether a sandbox still has an order it once accepted. */
export type Rechecked = 'exists' | 'gone' | 'unclear';

/** One call for an intent. */
interface IntentCall {
	key: string;
	/** Hash of the payload; tells another payload under the same key from a repetition. */
	digest: string;
	/** Whether the intent cancels an order that another intent placed. */
	isCancel?: boolean;
	/** Runs the intent from its known state. */
	run: (state: IntentState | undefined) => Promise<RunResult>;
	/** Checks whether the accepted order still exists. */
	recheck: (ended: RunResult) => Promise<Rechecked>;
	/**
	 * The caller knows that an earlier run may have sent this intent, so a refusal by a run without that knowledge is
	 * not final.
	 */
	repeated: boolean;
	/** Stops waiting for a shared run, which continues for the other callers. */
	signal?: AbortSignal;
	/** Called when the intent key was used with another payload, with how that ended; undefined while it is under way. */
	onPayloadMismatch: (before: RunResult | undefined) => Promise<RunResult>;
}

/** What another call for the same intent gets: the answer, or an error of unknown outcome. */
export type SentOnce = Map<string, Promise<unknown>>;

/**
 * What this process knows of one account: its intents, and what the other steps of a call share. All clients of the
 * account share one instance.
 */
export interface AccountMemory {
	/**
	 * Runs an intent at most once at a time. A second call during a run gets the outcome of that run. A call after it
	 * was accepted gets the same answer; after an unknown outcome it resumes; with another payload it is refused.
	 */
	once(intent: IntentCall): Promise<RunResult & { repeated: boolean }>;
	/**
	 * Records an outcome found by a lookup outside the call. Returns false during a run, whose outcome takes
	 * precedence, and when the key has another payload by now.
	 */
	conclude(key: string, digest: string, ended: RunResult): boolean;
	/** Whether this process has run the intent, so that the journal holds nothing newer. */
	knows(key: string): boolean;
	/** Whether the intent has no accepted outcome and no run in progress. */
	isOpen(key: string): boolean;
	/** Intents in progress and intents of unknown outcome; at most a hundred. */
	open(): { key: string; isRunning: boolean }[];
	/** When an intent that is in progress or of unknown outcome was last sent; now, while it may be sent at any time. */
	sentAt(key: string, now: number): number | undefined;
	/** Key of the intent that placed an order, when known. */
	ownerOf(orderId: string): string | undefined;
	/** The lookups that any client of the account makes after its calls. */
	readonly backgroundLookups: BackgroundLookups;
	/** What all clients of the account know of its orders, and the readings in progress. */
	readonly orderLogs: OrderLogs;
	/** What is composed of other operations and acts, while it runs: a second call joins the first. */
	readonly composed: Map<string, Promise<unknown>>;
	/** The single-attempt writes that are not orders, by intent key. */
	readonly sentOnce: SentOnce;
	/** How many rows the service allowed, for each list. */
	readonly pageLengths: PageLengths;
	/** The transactions that were found to be those of simulated deposits, each of one. */
	readonly transactionsTaken: Set<string>;
	/** Restores an intent that an earlier process left open. */
	restore(intent: Pick<IntentCall, 'key' | 'digest' | 'isCancel'>, state: IntentState): void;
}

interface Remembered {
	digest: string;
	isCancel?: boolean;
	running?: Promise<RunResult>;
	/** The callers that wait for the run beside the one that began it. */
	joined?: Set<IntentCall>;
	ended?: RunResult;
}

/**
 * Creates the memory of an account. Pass the same object to every client of the account, so that the same intent runs
 * once at a time among all of them. The least recently used of more than `intentsMax` intents (default 10,000) are
 * forgotten.
 *
 * @throws An {@link ExchangeError}: `invalid_input` for an `intentsMax` that is no whole number.
 *
 * @example
 * const memory = createAccountMemory();
 * const [reader, trader] = [createClient(account, ports, { memory }), createClient(account, ports, { memory })];
 */
export function createAccountMemory(intentsMax = INTENTS_MAX): AccountMemory {
	assertKind(intentsMax, wholeNumber(0, Number.MAX_SAFE_INTEGER), { of: 'The most intents', field: 'intentsMax' });
	const store = createStore(intentsMax);
	const once: AccountMemory['once'] = async (call) => {
		const { key, digest } = call;
		const accepted = store.get(key);
		if (isAccepted(accepted)) await recheck(store, accepted, call);
		const entry = withoutUntouched(store.get(key));
		if (entry && entry.digest !== digest)
			return { ...(await call.onPayloadMismatch(entry.running ? undefined : entry.ended)), repeated: true };
		if (entry?.running) {
			entry.joined?.add(call);
			const joined = await unlessStopped(entry.running, call.signal, () => nothingKnown).finally(() =>
				entry.joined?.delete(call),
			);
			if (runsItself(call, joined.outcome)) return once(call);
			return { ...joined, repeated: true };
		}
		if (isAccepted(entry) && !isOnlyAcknowledged(entry)) return { ...entry.ended, repeated: true };
		if (!entry && !store.madeRoom()) return refusedForMany(intentsMax);
		return { ...(await runOnce(store, call, entry)), repeated: false };
	};
	return {
		once,
		conclude: (key, digest, ended) => {
			const entry = store.get(key);
			if (entry?.running || (entry && entry.digest !== digest)) return false;
			conclude(store, key, digest, ended);
			return true;
		},
		knows: (key) => store.get(key) !== undefined,
		isOpen: (key) => {
			const entry = store.get(key);
			return entry !== undefined && !entry.running && entry.ended?.outcome.is !== 'accepted';
		},
		open: () => store.open().slice(-OPEN_SHOWN_MAX),
		sentAt: (key, now) => {
			const { running, ended } = store.get(key) ?? {};
			if (running) return now;
			return ended?.outcome.is === 'unknown' ? ended.state.lastAttemptAt : undefined;
		},
		ownerOf: store.ownerOf,
		backgroundLookups: createBackgroundLookups(),
		orderLogs: createOrderLogs(),
		composed: new Map(),
		sentOnce: new Map(),
		pageLengths: new Map(),
		transactionsTaken: new Set(),
		restore: ({ key, ...intent }, state) => {
			if (!store.get(key)) store.keep(key, { ...intent, ended: { ...nothingKnown, state } });
		},
	};
}

/** An acknowledged cancel may have come to nothing, so a repeated call looks for it and sends it again. */
const isOnlyAcknowledged = ({ isCancel, ended }: Remembered & { ended: RunResult }): boolean =>
	isCancel === true && ended.outcome.is === 'accepted' && ended.outcome.by === 'answer';

/** An intent that this process neither sent nor knows of is looked for, and keeps no other order from being sent. */
function withoutUntouched(entry: Remembered | undefined): Remembered | undefined {
	const { running, ended } = entry ?? {};
	return !running && ended && isUntouched(ended.outcome, ended.state) ? undefined : entry;
}

/**
 * Whether a joined caller runs the intent itself: the shared run was stopped before sending, or was refused without
 * knowing of the earlier run this caller knows of.
 */
const runsItself = ({ repeated }: IntentCall, { is }: Outcome): boolean =>
	is === 'stopped' || (is === 'refused' && repeated);

const isAccepted = (entry: Remembered | undefined): entry is Remembered & { ended: RunResult } =>
	entry?.ended?.outcome.is === 'accepted' && !entry.running;

/**
 * Forgets an order that is gone. When the sandbox gives no clear answer, the intent becomes unknown and its next run
 * looks it up.
 */
async function recheck(store: Store, entry: Remembered & { ended: RunResult }, { key, recheck: look }: IntentCall) {
	const result = await look(entry.ended);
	// Only the first of several concurrent rechecks changes the stored intent.
	if (store.get(key) !== entry) return;
	if (result === 'gone') store.forget(key);
	if (result === 'unclear') store.keep(key, { ...entry, ended: { ...nothingKnown, state: entry.ended.state } });
}

/** Nothing is known of what was sent. */
const nothingKnown: RunResult = { outcome: { is: 'unknown' }, state: newIntent(0) };

async function runOnce(
	store: Store,
	{ key, digest, isCancel, run }: IntentCall,
	entry: Remembered | undefined,
): Promise<RunResult> {
	const before = entry?.ended;
	const state = before?.state;
	const running = run(state && isAccepted(entry) ? { ...state, acknowledged: (state.acknowledged ?? 0) + 1 } : state);
	const joined = new Set<IntentCall>();
	store.keep(key, { digest, isCancel, running, joined, ended: before });
	try {
		const ended = await running;
		conclude(store, key, digest, ended);
		// The standing that the error reports is that of the intent, not of the call: another caller may be about to send
		// it.
		const goesOn = [...joined].some((call) => !call.signal?.aborted && runsItself(call, ended.outcome));
		return goesOn ? nothingKnown : ended;
	} catch (error) {
		// The run failed at an unknown point, so the next run starts with a lookup.
		store.keep(key, { digest, isCancel, ended: nothingKnown });
		throw error;
	}
}

/** A refused intent is forgotten: nothing was placed, so a corrected order may use the same key. */
function conclude(store: Store, key: string, digest: string, ended: RunResult): void {
	if (ended.outcome.is === 'refused' || ended.outcome.is === 'stopped') store.forget(key);
	else store.keep(key, { digest, isCancel: store.get(key)?.isCancel, ended });
}

/** The order the intent placed. A cancelled order belongs to the intent that placed it, so a cancel has none. */
const orderOf = (remembered: Remembered | undefined): string | undefined =>
	remembered?.ended && !remembered.isCancel ? orderIdIn(remembered.ended) : undefined;

type Store = ReturnType<typeof createStore>;

function createStore(intentsMax: number) {
	const intents = new Map<string, Remembered>();
	const owners = new Map<string, string>();
	const drop = (key: string): void => {
		const id = orderOf(intents.get(key));
		if (id !== undefined && owners.get(id) === key) owners.delete(id);
		intents.delete(key);
	};
	const prune = (latest?: string): void => {
		if (intents.size <= intentsMax) return;
		const left = Math.ceil(intentsMax * (1 - FORGOTTEN_SHARE));
		for (const [oldest, { running, ended }] of intents) {
			if (intents.size <= left) return;
			if (!running && ended?.outcome.is !== 'unknown' && oldest !== latest) drop(oldest);
		}
	};
	return {
		ownerOf: (orderId: string): string | undefined => owners.get(orderId),
		open: () =>
			[...intents]
				.filter(([, { running, ended }]) => running !== undefined || ended?.outcome.is === 'unknown')
				.map(([key, { running }]) => ({ key, isRunning: running !== undefined })),
		get: (key: string): Remembered | undefined => intents.get(key),
		forget: drop,
		keep: (key: string, remembered: Remembered): void => {
			drop(key);
			intents.set(key, remembered);
			const id = orderOf(remembered);
			if (id !== undefined) owners.set(id, key);
			prune(key);
		},
		/** Forgets what is over; returns whether there is room then, beside what is under way or unknown. */
		madeRoom: (): boolean => {
			prune();
			return intents.size <= intentsMax;
		},
	};
}

function refusedForMany(most: number): RunResult & { repeated: boolean } {
	const error = new ExchangeError('limit_reached', {
		what: `${most} order writes of this process are under way or of unknown outcome, and no more are remembered`,
		advice: 'Find out what became of them, for example with Resolve Order, before you place another order',
	});
	return { outcome: { is: 'refused', error }, state: newIntent(0), repeated: false };
}

/** The state in which a new run resumes an intent whose earlier run ended without an outcome. */
export const resumeState = (state: IntentState, now: number): IntentState =>
	newIntent(now, {
		earlier: true,
		lastAttemptAt: state.lastAttemptAt ?? state.firstSentAt,
		acknowledged: state.acknowledged,
		error: state.error,
		...(state.sendsNoMore === 'looks_only' && { sendsNoMore: 'looks_only' }),
	});
