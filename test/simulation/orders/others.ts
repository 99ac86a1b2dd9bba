import type { Random } from '../support/random';
import { SIMULATION_BEGINS } from '../support/time';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** What other programs place in the account, and in what order and how soon its list shows all of it. */
export interface Others {
	/** Rows of a page at most. */
	pageRows: number;
	sorted: 'newest_first' | 'oldest_first' | 'by_name';
	/** Half of our orders are shown so much later than others. */
	lateMs: number;
	rows: readonly Row[];
	/** When many were placed in a short time. */
	burst?: { from: number; to: number };
}

interface Row {
	at: number;
	shownAt: number;
	order: Readonly<Record<string, unknown>>;
}

const EVERY_MS = 20;

/** More than a page of orders from long before, and often many in a short time while our own orders are placed. */
export function drawOthers(chance: Random, listLagMs: number): Others | undefined {
	if (!chance.happens(0.08)) return undefined;
	const old = chance.happens(0.03) ? 10_500 : chance.between(60, 400);
	const count = chance.happens(0.8) ? chance.between(700, 1_000) : 0;
	const from = SIMULATION_BEGINS + chance.between(30, 240) * SECOND;
	const isAhead = chance.happens(0.4);
	return {
		pageRows: old > 1_000 ? 100 : chance.pick([50, 100]),
		sorted: old > 1_000 ? 'newest_first' : chance.pick(['newest_first', 'newest_first', 'oldest_first', 'by_name']),
		lateMs: chance.happens(0.7) ? 12 * SECOND - listLagMs : 0,
		rows: [
			...Array.from({ length: old }, (_, age) => row(`old-${age}`, SIMULATION_BEGINS - 25 * HOUR - age * 60 * SECOND)),
			...Array.from({ length: count }, (_, index) => row(`new-${index}`, from + index * EVERY_MS)),
			...(isAhead ? [{ ...row('ahead', SIMULATION_BEGINS + 3 * HOUR), shownAt: SIMULATION_BEGINS }] : []),
		],
		...(count > 0 ? { burst: { from, to: from + count * EVERY_MS } } : {}),
	};
}

function row(name: string, at: number): Row {
	const common = { pair_id: 'EUR/NGN', side: 'buy', order_type: 'limit', quantity: '1.00', price: '1.00' };
	const created_at = new Date(at).toISOString();
	return {
		...{ at, shownAt: at },
		order: { id: `id-of-${name}`, client_order_id: name, ...common, status: 'filled', created_at },
	};
}

/** What the list shows at a moment: our orders, and those of others among them. */
export function among(
	{ rows, sorted, lateMs }: Others,
	ours: readonly Readonly<Record<string, unknown>>[],
	{ now, status }: { now: number; status?: string },
): Readonly<Record<string, unknown>>[] {
	const mine = ours.map((order): Row => {
		const at = Date.parse(String(order.created_at));
		return { at, shownAt: at + lateness(String(order.id), lateMs), order };
	});
	const others = status === undefined || status === 'filled' ? rows : [];
	const all = [...others, ...mine].filter(({ shownAt }) => shownAt <= now);
	const inOrder = {
		newest_first: (a: Row, b: Row) => b.at - a.at,
		oldest_first: (a: Row, b: Row) => a.at - b.at,
		by_name: (a: Row, b: Row) => mixed(a) - mixed(b),
	}[sorted];
	return all.sort(inOrder).map(({ order }) => order);
}

const mixed = ({ at }: Row): number => (at * 7_919) % 1_000_003;

/** Half of the orders are late, always the same ones. */
function lateness(id: string, mostMs: number): number {
	const sum = [...id].reduce((digest, letter) => (digest * 31 + letter.charCodeAt(0)) % 1_009, 7);
	return sum % 2 === 0 ? mostMs : 0;
}
