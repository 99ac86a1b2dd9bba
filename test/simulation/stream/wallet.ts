import {
	pollBalances,
	pollTransactions,
	type BalanceEvent,
	type Client,
	type Threshold,
	type TransactionEvent,
	type TransactionState,
} from '@partner-exchange/core';
import type { Random } from '../support/random';
import type { VirtualTime } from '../support/time';
import type { Trace } from '../support/trace';
import type { Plant } from './plant';
import type { Weather } from './weather';

type BalanceState = Awaited<ReturnType<typeof pollBalances>>['state'];

/** The events one wallet trigger delivered in all its processes. */
export interface Watched {
	told: { at: number; run: number; event: TransactionEvent | BalanceEvent }[];
	/** By run: when it ended, and whether its state then was stored. */
	runs: { endedAt: number; isStored: boolean }[];
	stored: { transactions: TransactionState; balances: BalanceState } | undefined;
	/** The balances it knew when it first stored anything. */
	began?: BalanceState;
}

interface WatchWorld {
	time: VirtualTime;
	chance: Random;
	weather(): Weather;
	lives(): boolean;
	client: Client;
	pollEveryMs: number;
	plant: Plant;
	trace: Trace;
}

/** The initial balance, so that every trade crosses the threshold. */
export const THRESHOLD: Threshold = { currency: 'USD', amount: '100000.00', direction: 'both' };

/** Polls at an interval while its process lives, and stores its state once the host has acknowledged the events. */
export function watchWallet(world: WatchWorld, watched: Watched): void {
	const { time, chance, lives, pollEveryMs } = world;
	const again = (): void =>
		void time.after(pollEveryMs * chance.between(0.8, 1.2), () => lives() && void poll(world, watched).then(again));
	void poll(world, watched).then(again);
}

async function poll({ client, plant, ...world }: WatchWorld, watched: Watched): Promise<void> {
	const before = JSON.parse(JSON.stringify(watched.stored ?? {})) as Partial<NonNullable<Watched['stored']>>;
	const run = watched.runs.push({ endedAt: world.time.now(), isStored: false }) - 1;
	const store = (stored: NonNullable<Watched['stored']>): void => {
		watched.began ??= stored.balances;
		watched.stored = plant.wallet?.(stored) ?? stored;
		watched.runs[run] = { endedAt: world.time.now(), isStored: true };
	};
	try {
		const transactions = await pollTransactions(client, before.transactions);
		const balances = await pollBalances(client, before.balances, [THRESHOLD]);
		if (!world.lives()) return;
		const stored = { transactions: transactions.state, balances: balances.state };
		if (plant.storesBeforeTelling) store(stored);
		await hand(world, watched, run, [...transactions.events, ...balances.events]);
		if (world.lives()) store(stored);
	} catch (error) {
		world.trace.add(world.time.now(), 'wallet', error instanceof Error ? error.message : '');
	}
}

/** The host acknowledges all of it or nothing. A dead process never responds. */
const hand = (
	{ time, chance, weather, lives, trace }: Omit<WatchWorld, 'client' | 'plant'>,
	{ told: report }: Watched,
	run: number,
	events: Watched['told'][number]['event'][],
): Promise<void> =>
	new Promise((resolve, reject) => {
		time.after(chance.exponential(weather().hostMs, 5_000), () => {
			if (!lives()) return;
			if (chance.happens(weather().rejection)) return reject(new Error('not now'));
			for (const event of events) {
				report.push({ at: time.now(), run, event });
				trace.add(time.now(), 'wallet', event.eventKey);
			}
			resolve();
		});
	});
