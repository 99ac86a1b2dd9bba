import type { ExchangeError } from '../errors';
import { createReadings, type Readings } from './lookup/readings';
import { orderIdIn, type RunResult } from './run';
import { newIntent, type IntentState, type Outcome } from './machine/state';

/** Intents remembered at once; the ones not asked for longest are forgotten first. */
const INTENTS_MAX = 10_000;
/** Forgotten at a time: to look for the oldest is to walk over all that was taken out before. */
const FORGOTTEN_SHARE = 1 / 20;
/** Open ones that are listed. */
const OPEN_SHOWN_MAX = 100;

/** What a sandbox shows of an order it once accepted. */
export type Rechecked = 'exists' | 'gone' | 'unclear';

/** One call for an intent. */
interface Asked {
	key: string;
	/** Tells what is asked for apart. */
	digest: string;
	/** Whether it changes an order that another intent placed. */
	isCancel?: boolean;
	/** Runs it from a known state. */
	run: (known: IntentState | undefined) => Promise<RunResult>;
	/** Checks whether the accepted order still exists; assumed to where it is not given. */
	recheck?: (ended: RunResult) => Promise<Rechecked>;
	/** The caller knows of an earlier run, which a run that was not told of it may deny. */
	repeated: boolean;
	/** Stops waiting for a shared run, which continues for others. */
	signal?: AbortSignal;
	/** Called when the intent key was used with another payload. */
	onPayloadMismatch: () => Promise<RunResult>;
}

export type SentOnce = Map<string, { answer: unknown } | { doubt: ExchangeError }>;

/** What this process knows of the intents of one account. Hosts that make several clients for one account share it. */
export interface InFlightIntents {
	/**
	 * Runs an intent once at a time. A second call while it runs gets the same outcome; one after it was accepted gets
	 * that; one after it ended unknown goes on from there; one that asks for something else is refused.
	 */
	once(intent: Asked): Promise<RunResult & { repeated: boolean }>;
	/**
	 * What a reading on the side came to. Answers false while a run is under way, which knows better, and where the name
	 * stands for something else by now.
	 */
	conclude(key: string, digest: string, ended: RunResult): boolean;
	/** Whether this process has run it, so that the journal has nothing newer. */
	knows(key: string): boolean;
	/** Whether its outcome is unknown and no run is in progress. */
	isOpen(key: string): boolean;
	/** Intents in progress and intents of unknown outcome; at most a hundred. */
	open(): { key: string; isRunning: boolean }[];
	/** The intent an order is known to belong to. */
	ownerOf(orderId: string): string | undefined;
	/** Keys looked for after their calls, by whichever client of the account. */
	readonly settling: Set<string>;
	/** The readings of the order list under way, which all clients of the account share. */
	readonly readings: Readings;
	/** What became of writes that are no orders and go out once, by their intent. */
	readonly sentOnce: SentOnce;
	/** Restores an intent that an earlier process left open. */
	restore(intent: Pick<Asked, 'key' | 'digest' | 'isCancel'>, state: IntentState): void;
}

interface Remembered {
	digest: string;
	isCancel?: boolean;
	running?: Promise<RunResult>;
	ended?: RunResult;
}

interface Store {
	get(key: string): Remembered | undefined;
	keep(key: string, remembered: Remembered): void;
	forget(key: string): void;
	open(): { key: string; isRunning: boolean }[];
	ownerOf(orderId: string): string | undefined;
}

export function createInFlightIntents(intentsMax = INTENTS_MAX): InFlightIntents {
	const store = createStore(intentsMax);
	const once: InFlightIntents['once'] = async (asked) => {
		const { key, digest } = asked;
		const known = store.get(key);
		if (asked.recheck && isAccepted(known)) {
			await recheck(store, known, asked);
			return once({ ...asked, recheck: undefined });
		}
		if (known && known.digest !== digest) return { ...(await asked.onPayloadMismatch()), repeated: true };
		if (known?.running) {
			const joined = await unlessStopped(known.running, asked.signal);
			if (goesOnAlone(asked, joined.outcome)) return once(asked);
			return { ...joined, repeated: true };
		}
		if (isAccepted(known)) return { ...known.ended, repeated: true };
		return { ...(await runOnce(store, asked)), repeated: false };
	};
	return {
		once,
		conclude: (key, digest, ended) => {
			const known = store.get(key);
			if (known?.running || (known && known.digest !== digest)) return false;
			conclude(store, key, digest, ended);
			return true;
		},
		knows: (key) => store.get(key) !== undefined,
		isOpen: (key) => {
			const known = store.get(key);
			return known !== undefined && !known.running && known.ended?.outcome.is !== 'accepted';
		},
		open: () => store.open().slice(-OPEN_SHOWN_MAX),
		ownerOf: store.ownerOf,
		settling: new Set(),
		readings: createReadings(),
		sentOnce: new Map(),
		restore: ({ key, ...intent }, state) => {
			if (!store.get(key)) store.keep(key, { ...intent, ended: { outcome: { is: 'unknown' }, state } });
		},
	};
}

/** The one who joined still wants what was stopped before sending, and knows better than a run that knew of no earlier one. */
const goesOnAlone = ({ repeated }: Asked, { is }: Outcome): boolean =>
	is === 'stopped' || (is === 'refused' && repeated);

const isAccepted = (known: Remembered | undefined): known is Remembered & { ended: RunResult } =>
	known?.ended?.outcome.is === 'accepted' && !known.running;

/** What is gone is forgotten, and what cannot be seen is gone on with by reading. */
async function recheck(store: Store, known: Remembered & { ended: RunResult }, { key, recheck: look }: Asked) {
	const found = await look?.(known.ended);
	// Of many who looked at the same time, the first one changes what is remembered.
	if (store.get(key) !== known) return;
	if (found === 'gone') store.forget(key);
	if (found === 'unclear')
		store.keep(key, { ...known, ended: { outcome: { is: 'unknown' }, state: known.ended.state } });
}

const left: RunResult = { outcome: { is: 'unknown' }, state: newIntent(0) };

/** The outcome of somebody else's run, or unknown when this caller does not want to wait for it any longer. */
function unlessStopped(running: Promise<RunResult>, signal: AbortSignal | undefined): Promise<RunResult> {
	if (!signal) return running;
	return new Promise((resolve, reject) => {
		const leave = (): void => resolve(left);
		if (signal.aborted) leave();
		signal.addEventListener('abort', leave, { once: true });
		running.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
	});
}

async function runOnce(store: Store, { key, digest, isCancel, run }: Asked): Promise<RunResult> {
	const before = store.get(key)?.ended;
	const running = run(before?.state);
	store.keep(key, { digest, isCancel, running, ended: before });
	try {
		const ended = await running;
		conclude(store, key, digest, ended);
		return ended;
	} catch (error) {
		// Nobody knows how far it came, so the next run begins by reading.
		store.keep(key, { digest, isCancel, ended: { outcome: { is: 'unknown' }, state: newIntent(0) } });
		throw error;
	}
}

/** Where nothing was placed, the same name may be used for a corrected order. */
function conclude(store: Store, key: string, digest: string, ended: RunResult): void {
	if (ended.outcome.is === 'refused' || ended.outcome.is === 'stopped') store.forget(key);
	else store.keep(key, { digest, isCancel: store.get(key)?.isCancel, ended });
}

/** The order it placed: what it cancelled belongs to the intent that placed that. */
const orderOf = (remembered: Remembered | undefined): string | undefined =>
	remembered?.ended && !remembered.isCancel ? orderIdIn(remembered.ended) : undefined;

function createStore(intentsMax: number): Store {
	const intents = new Map<string, Remembered>();
	const owners = new Map<string, string>();
	const drop = (key: string): void => {
		const id = orderOf(intents.get(key));
		if (id !== undefined && owners.get(id) === key) owners.delete(id);
		intents.delete(key);
	};
	return {
		ownerOf: (orderId) => owners.get(orderId),
		open: () =>
			[...intents]
				.filter(([, { running, ended }]) => running !== undefined || ended?.outcome.is === 'unknown')
				.map(([key, { running }]) => ({ key, isRunning: running !== undefined })),
		get: (key) => intents.get(key),
		forget: drop,
		keep: (key, remembered) => {
			drop(key);
			intents.set(key, remembered);
			const id = orderOf(remembered);
			if (id !== undefined) owners.set(id, key);
			if (intents.size <= intentsMax) return;
			const left = Math.ceil(intentsMax * (1 - FORGOTTEN_SHARE));
			for (const [oldest, { running }] of intents) {
				if (intents.size <= left) return;
				if (!running && oldest !== key) drop(oldest);
			}
		},
	};
}

/** How an intent goes on that an earlier run left without an outcome. */
export const resumeState = (known: IntentState, now: number): IntentState =>
	newIntent(now, { earlier: true, lastAttemptAt: known.lastAttemptAt, error: known.error });
