import type { StreamEvent } from '@partner-exchange/core';
import type { Seen } from '../host';
import { BOOK, levelsText, type Truth } from '../truth';
import { MINUTE } from '../scene';
import { dueAt, late, type Verdict } from './verdict';

interface Update {
	sequence: number;
	timestamp: string;
	bids: { price: string; quantity: string }[];
	asks: { price: string; quantity: string }[];
}

/** The state a host derives from the events of one sitting: a whole book, and the changes after it. */
interface Fold {
	sitting: number;
	sequence: number;
	epoch?: StreamEvent['epoch'];
	bids: Map<string, string>;
	asks: Map<string, string>;
}

/** The host's book always matches one that existed, unless it was marked stale; and it is never far behind. */
export function judgeBook(seen: Seen, verdict: Verdict): string[] {
	if (!seen.consumer.topics.includes(BOOK) || seen.readyAt === undefined) return [];
	const broken: string[] = [];
	const reached: { at: number; sequence: number }[] = [];
	let fold: Fold | undefined;
	/** After a stale change, and after a wrong one, only a whole book can be right. */
	let isUnsure = true;
	for (const { at, sitting, event } of seen.deliveries) {
		if (event.topic !== BOOK) continue;
		const update = event.data as Update;
		const isWhole = event.delivery === 'reconciled';
		const before = fold?.sitting === sitting ? fold : undefined;
		const objection =
			isWhole || !before ? undefined : change(before, update, { epoch: event.epoch, stride: verdict.truth.bookStride });
		fold = isWhole ? begin(sitting, update) : before;
		isUnsure = event.stale === true || (isUnsure && !isWhole && before !== undefined);
		if (isUnsure) continue;
		const wrong = objection ?? (fold ? compare(fold, verdict.truth) : 'begins with a change');
		isUnsure = wrong !== undefined;
		if (wrong) broken.push(`${seen.name}'s book ${wrong} in ${event.eventKey}`);
		else reached.push({ at, sequence: update.sequence });
	}
	return [...broken, ...judgeProgress(seen, reached, verdict)];
}

const begin = (sitting: number, { sequence, bids, asks }: Update): Fold => ({
	sitting,
	sequence,
	bids: new Map(bids.map(({ price, quantity }) => [price, quantity])),
	asks: new Map(asks.map(({ price, quantity }) => [price, quantity])),
});

/** Applies a change and returns what is wrong with it. */
function change(
	fold: Fold,
	{ sequence, bids, asks }: Update,
	{ epoch, stride }: { epoch: StreamEvent['epoch']; stride: number },
): string | undefined {
	const { sequence: before, epoch: name = epoch } = fold;
	for (const [side, levels] of [[fold.bids, bids] as const, [fold.asks, asks] as const])
		for (const { price, quantity } of levels) {
			if (Number(quantity) === 0) side.delete(price);
			else side.set(price, quantity);
		}
	Object.assign(fold, { sequence, epoch });
	if (name !== epoch) return `mixes epochs ${name} and ${epoch}`;
	return sequence === before + stride ? undefined : `goes from ${before} to ${sequence}`;
}

function compare({ sequence, bids, asks }: Fold, { books }: Truth): string | undefined {
	const list = (side: Fold['bids']) => [...side].map(([price, quantity]) => ({ price, quantity }));
	const text = levelsText({ bids: list(bids), asks: list(asks) });
	return text === books.get(sequence)?.levels ? undefined : `never existed at ${sequence}`;
}

/** Every book that existed is delivered in time, or a later one. */
function judgeProgress(
	{ name, readyAt }: Seen,
	reached: readonly { at: number; sequence: number }[],
	verdict: Verdict,
): string[] {
	const { truth, now, lateMs } = verdict;
	const broken: string[] = [];
	for (const [sequence, { at }] of truth.books) {
		if (at <= readyAt! || at >= now - lateMs) continue;
		const arrived = reached.find((entry) => entry.sequence >= sequence)?.at ?? Number.POSITIVE_INFINITY;
		// Where both numbers jump each change asks for a read, and the limit of a minute may be reached.
		const laterMs = truth.bookStride > 1 ? MINUTE : 0;
		if (arrived <= dueAt(BOOK, at, readyAt!, verdict) + laterMs) continue;
		if (arrived === Number.POSITIVE_INFINITY) broken.push(`${name} never got the book at ${sequence}`);
		else broken.push(late(`${name} got the book at ${sequence}`, at, arrived));
	}
	return broken;
}
