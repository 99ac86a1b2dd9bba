import { createExchange, type Exchange, type ExchangeOptions } from '../api/exchange';
import { audit } from '../engine/audit';
import { nextRun } from '../engine/random';
import type { StateView } from '../engine/state';
import type { SandboxClock } from './clock';
import { openJournal, type Journal, type Saved } from './journal';
import { StorageError } from './storage-error';

/** Where the exchange is kept: in memory, or in a data file as well. */
export interface Storage {
	exchange: Exchange;
	clock: SandboxClock;
	afterCommit(release: () => void): void;
	/** Replaces the exchange by a new one. */
	reset(): Exchange;
	close(): void;
}

export interface StorageOptions {
	file: string | undefined;
	exchange: ExchangeOptions;
	clock(start: number | undefined): SandboxClock;
	failed(error: Error): void;
	/** Receives notes for the operator that are not errors. */
	warn(text: string): void;
}

export function openStorage(options: StorageOptions): Storage {
	const state = (): StateView => storage.exchange.engine.state;
	const { file, failed, warn } = options;
	const journal: Journal | undefined = file === undefined ? undefined : openJournal({ file, state, failed });
	const saved = journal?.saved;
	const clock = options.clock(saved && reachedBy(saved));
	if (clock.ahead > 0) warn(behind(clock.now()));
	const create = (more: ExchangeOptions) =>
		createExchange({
			...options.exchange,
			...more,
			clock,
			record: journal?.record,
			progress: journal?.progress,
		});
	/** Refuses a state that violates an invariant at the start, instead of failing later. */
	function continued(saved: Saved): Exchange {
		try {
			const exchange = restore(create, saved, clock, options.exchange);
			const [fault] = audit(exchange.engine.state);
			if (fault !== undefined) throw new Error(fault);
			return exchange;
		} catch (error) {
			const reason = `what it holds does not add up (${(error as Error).message}). Move it away to begin again`;
			throw new StorageError(file!, new Error(reason));
		}
	}
	/** Runs a step of the start; on an error, clears the alarm and closes the file. */
	function orClosed<Result>(step: () => Result): Result {
		try {
			return step();
		} catch (error) {
			clock.close();
			journal?.abandon();
			throw error;
		}
	}
	const storage: Storage = {
		clock,
		exchange: orClosed(() => (saved ? continued(saved) : create({ now: clock.now() }))),
		afterCommit: journal ? journal.afterCommit : (release: () => void) => release(),
		reset() {
			storage.exchange = create({ now: clock.now(), run: nextRun(storage.exchange.engine.state.run) });
			journal?.save(storage.exchange.engine.state);
			return storage.exchange;
		},
		close: () => journal?.close(),
	};
	orClosed(() => journal?.save(storage.exchange.engine.state));
	return storage;
}

/**
 * Replays the actions since the saved state, then runs scheduled steps up to the latest time a client may have seen.
 */
function restore(
	create: (more: ExchangeOptions) => Exchange,
	{ state, actions, progressedTo }: Saved,
	clock: SandboxClock,
	{ settings, keys }: ExchangeOptions,
): Exchange {
	const exchange = create({ state });
	const { engine } = exchange;
	for (const { at, action } of actions) {
		engine.advanceTo(at);
		engine.apply(action);
	}
	engine.advanceTo(progressedTo);
	engine.reopen(clock.now(), { settings, keys });
	return exchange;
}

/** The latest time that a client may have seen. */
const reachedBy = ({ progressedTo, actions }: Saved): number => Math.max(progressedTo, actions.at(-1)?.at ?? 0);

const behind = (reached: number): string =>
	`The clock of this machine is behind the data file, which goes to ${new Date(reached).toISOString()}. The sandbox goes on from that time; set the clock and restart to follow it again.`;
