import type { BalanceEvent, TransactionEvent } from '@partner-exchange/core';
import { THRESHOLD, type Watched } from '../wallet';
import { dueAt, late, type Verdict } from './verdict';

/** The longest time between polls, and of one poll. */
export const POLL_EVERY_MS = 15_000;
const ROUND_MS = POLL_EVERY_MS * 1.2 + 1_000;

/**
 * Each status of a transaction is reported once, in order and in time; each crossing of a balance once, alternating.
 */
export function judgeWallet(watched: Watched, verdict: Verdict): string[] {
	const baseline = watched.runs.find(({ isStored }) => isStored);
	if (!baseline) return ['never read anything'];
	return [
		...judgeRepeats(watched),
		...judgeTransactions(watched, verdict, baseline.endedAt),
		...judgeCrossings(watched, verdict),
	];
}

/** A report is repeated only if it could not be stored. */
function judgeRepeats({ told: report, runs }: Watched): string[] {
	const broken: string[] = [];
	const before = new Map<string, number>();
	for (const { run, event } of report) {
		const earlier = before.get(event.eventKey);
		if (earlier !== undefined && (earlier === run || runs[earlier]!.isStored))
			broken.push(`told ${event.eventKey} twice`);
		before.set(event.eventKey, run);
	}
	return broken;
}

function judgeTransactions({ told: report }: Watched, verdict: Verdict, since: number): string[] {
	const first = new Map<string, number>();
	const ended = new Set<string>();
	const broken: string[] = [];
	for (const { at, event } of report) {
		if (!isTransaction(event)) continue;
		const { id, status } = event.transaction as { id: string; status: string };
		const told = `${id} ${status}`;
		if (!first.has(told)) first.set(told, at);
		if (event.unexpected || (status === 'pending' && ended.has(id))) broken.push(`saw transaction ${id} go back`);
		if (status !== 'pending') ended.add(id);
	}
	for (const { id, status, createdAt, updatedAt } of verdict.truth.transactions()) {
		if (updatedAt <= since || updatedAt > verdict.now - verdict.lateMs - ROUND_MS) continue;
		const arrived = first.get(`${id} ${status}`);
		if (arrived === undefined) broken.push(`never told ${status} of transaction ${id}`);
		else if (arrived > dueAt(undefined, updatedAt, since, verdict) + ROUND_MS)
			broken.push(late(`told ${status} of transaction ${id}`, updatedAt, arrived));
		// A transaction pending for longer than a poll is seen pending, and is history if it was pending at the start.
		const isOwed = createdAt >= verdict.calmFrom && createdAt > since && updatedAt - createdAt > ROUND_MS;
		if (isOwed && !first.has(`${id} pending`)) broken.push(`never told that transaction ${id} is pending`);
	}
	return broken;
}

/** Crossings alternate, and lead from the initial side to the final one. */
function judgeCrossings({ told: report, began }: Watched, { truth }: Verdict): string[] {
	const events = report.flatMap(({ event }) => (isTransaction(event) ? [] : [event]));
	const sides = [...new Map(events.map(({ eventKey, crossing }) => [eventKey, crossing])).values()];
	const [first] = Object.values(began!.lines);
	const limit = BigInt(Math.round(Number(THRESHOLD.amount) * 100));
	const last = truth.available(THRESHOLD.currency) < limit ? 'below' : 'above';
	const way = [first!.side, ...sides];
	const broken = way.some((side, index) => side === way[index - 1]) ? ['told a crossing to the side it was on'] : [];
	return way.at(-1) === last ? broken : [...broken, `stands ${way.at(-1)} at the end and should stand ${last}`];
}

const isTransaction = (event: TransactionEvent | BalanceEvent): event is TransactionEvent => 'transaction' in event;
