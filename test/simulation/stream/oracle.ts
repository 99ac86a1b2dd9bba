import type { Cover, Seen } from './host';
import { TRADES, type Truth } from './market';

export interface Verdict {
	truth: Truth;
	seen: readonly Seen[];
	/** From here on nothing goes wrong. */
	healsAt: number;
	/** How long after its happening, or after the healing, an event may arrive. */
	lateMs: number;
	/** How long in calm weather. */
	calmMs: number;
	/** From here on the weather counts as calm. */
	calmFrom: number;
	now: number;
}

type Owed = { what: string; at: number; keys: readonly string[] };

/** Says which promises were broken. */
export function judge(verdict: Verdict): string[] {
	return verdict.seen.flatMap((seen) => [...judgeDelivery(seen, verdict), ...judgeOrder(seen), ...seen.failures]);
}

function judgeDelivery(seen: Seen, { truth, healsAt, lateMs, calmMs, calmFrom, now }: Verdict): string[] {
	const { readyAt } = seen;
	if (readyAt === undefined || !seen.isReady) return [`${seen.name} is not ready at the end`];
	const first = new Map<string, number>();
	for (const { at, event } of seen.taken) if (!first.has(event.eventKey)) first.set(event.eventKey, at);
	return owedTo(seen, truth)
		.filter(({ at }) => at > readyAt && at < now - lateMs)
		.flatMap(({ what, at, keys }) => {
			const arrived = Math.min(...keys.map((key) => first.get(key) ?? Number.POSITIVE_INFINITY));
			if (arrived === Number.POSITIVE_INFINITY) return [`${seen.name} never got ${what}`];
			const due = at >= calmFrom ? at + calmMs : Math.max(at, healsAt, readyAt) + lateMs;
			return arrived > due ? [`${seen.name} got ${what} ${((arrived - at) / 1000).toFixed(1)} s late`] : [];
		});
}

/** Every fill, every trade, and the last state of every order. */
function owedTo({ consumer }: Seen, truth: Truth): Owed[] {
	const wants = (topic: string) => consumer.topics.includes(topic);
	const fills = wants('user.fills')
		? [...truth.fills].map(([id, { at }]) => ({ what: `fill ${id}`, at, keys: [`fill:${id}`] }))
		: [];
	const trades = wants(TRADES)
		? [...truth.trades].map(([id, { at }]) => ({ what: `trade ${id}`, at, keys: [`trade:${id}`] }))
		: [];
	const orders = !wants('user.orders')
		? []
		: [...truth.orders].flatMap(([id, states]) => {
				const { at, status, filled } = states.at(-1)!;
				const isWanted = consumer.filters?.statuses?.includes(status) ?? true;
				return isWanted ? [{ what: `the end of order ${id}`, at, keys: [`order:${id}:${status}:${filled}`] }] : [];
			});
	return [...fills, ...trades, ...orders];
}

const ranks: Record<string, number> = {
	pending: 0,
	accepted: 1,
	partially_filled: 2,
	filled: 3,
	cancelled: 3,
	rejected: 3,
};

/**
 * Within a sitting nothing comes twice and no order goes back. A sitting begins with what was stored by then: that does
 * not come again either.
 */
function judgeOrder({ name, taken, sittings }: Seen): string[] {
	const broken: string[] = [];
	for (const [sitting, covered] of sittings.entries()) {
		const keys = new Set<string>();
		const orders = new Map<string, { rank: number; filled: number }>();
		const known = taken.filter((one, index) => isCovered(one, index, covered));
		for (const { event, ...one } of [...known, ...taken.filter((one) => one.sitting === sitting)]) {
			const isOfBefore = one.sitting < sitting;
			if (!isOfBefore && keys.has(event.eventKey)) broken.push(`${name} got ${event.eventKey} twice`);
			keys.add(event.eventKey);
			if (event.topic !== 'user.orders') continue;
			const {
				id,
				status,
				filled_quantity: filled,
			} = event.data as { id: string; status: string; filled_quantity: string };
			const [before, after] = [orders.get(id), { rank: ranks[status]!, filled: Number(filled) }];
			if (!isOfBefore && before && (after.rank < before.rank || after.filled < before.filled))
				broken.push(`${name} saw order ${id} go back to ${status}`);
			orders.set(id, after);
		}
	}
	return broken;
}

function isCovered(one: Seen['taken'][number], index: number, cover: Cover | undefined): boolean {
	if (!cover) return false;
	const isHere = one.sitting === cover.sitting && index < cover.until && cover.topics.includes(one.event.topic);
	return isHere || isCovered(one, index, cover.before);
}

/** A message as it reached the process. */
export interface Heard {
	at: number;
	topic: string;
	epoch: string;
	seq: number;
	key: string;
}

/** At a crash: what is stored counts as taken, so everything before that position must have been. */
export function judgeStored({ name, consumer, stored, taken, readyAt }: Seen, heard: readonly Heard[]): string[] {
	if (stored === undefined || readyAt === undefined || consumer.filters) return [];
	const { topics } = stored as { topics: { [topic: string]: { seq?: number; epoch?: string } } };
	const keys = new Set(taken.map(({ event }) => event.eventKey));
	return heard
		.filter(({ topic, epoch, seq, at }) => at > readyAt && topics[topic]?.epoch === epoch && seq <= topics[topic].seq!)
		.filter(({ key }) => !keys.has(key))
		.map(({ key }) => `${name} stored a position beyond ${key}, which it had not taken`);
}
