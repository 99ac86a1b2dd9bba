import type { Response } from '../../../packages/sandbox/src/api/answer';
import type { Order } from '../../../packages/sandbox/src/engine/order';
import { among, type Others } from './others';
import type { Random } from '../support/random';

/** How services other than our sandbox may show their orders. The behaviour of the real service is not documented. */
export interface Dialect {
	/** A list of open orders only: finished ones are found by status filter, or not at all. */
	hidesEnded: boolean;
	/** The status filter has another name, so ours is ignored. */
	ignoresStatus: boolean;
	/** The paging parameters have other names, so every page is the same. */
	onePage: { rows: number; from: 'newest' | 'oldest' } | undefined;
	/** What `count` counts. */
	counts: 'all' | 'page' | 'nothing';
	/** A replace cancels the original first and shows the successor this much later. */
	successorLateMs: number;
	/** The successor has the original's client order ID. */
	keepsName: boolean;
	/** The order shows no link to the one it replaces. */
	hidesLinks: boolean;
	/** What the service stores of a derived client order ID: its column is short, or made for UUIDs. */
	namesAs: 'sent' | 'cut' | 'without dashes';
	/** The orders of other programs, with the habits of a long list. */
	others?: Others;
}

type OrderView = Record<string, unknown>;

export function drawDialect(chance: Random): Dialect {
	const isPlain = chance.happens(0.4);
	const rarely = (rate: number): boolean => !isPlain && chance.happens(rate);
	const hidesEnded = rarely(0.3);
	return {
		hidesEnded,
		// A service that shows finished orders nowhere could not be checked, so a service that hides them supports the
		// filter.
		ignoresStatus: !hidesEnded && rarely(0.3),
		onePage: rarely(0.3) ? { rows: 1 + chance.below(3), from: chance.pick(['newest', 'oldest']) } : undefined,
		counts: isPlain ? 'all' : chance.pick(['all', 'page', 'nothing']),
		successorLateMs: rarely(0.5) ? chance.between(200, 5_000) : 0,
		keepsName: rarely(0.3),
		hidesLinks: rarely(0.2),
		namesAs: isPlain ? 'sent' : chance.fork('names').pick(['sent', 'sent', 'cut', 'without dashes']),
	};
}

/** Whether an empty lookup of this service may prove nothing, as far as the client can tell. */
export const hasGaps = ({ ignoresStatus, onePage }: Dialect): boolean => onePage !== undefined || ignoresStatus;

/**
 * Whether a replaced order may be visible only as a successor under its own name, which proves nothing about the
 * original.
 */
export const losesReplaced = ({ keepsName, hidesEnded }: Dialect): boolean => keepsName && hidesEnded;

const open = ['pending', 'accepted', 'partially_filled'];

/** More orders than one life has. The exchange shows so many in one page. */
const ROWS_MAX = 200;

/** The path as this service interprets it. */
export function onRequest(dialect: Dialect, path: string): string {
	const url = new URL(path, 'http://service');
	if (dialect.ignoresStatus) url.searchParams.delete('status');
	// Pages are cut here, after hidden orders have been removed.
	url.searchParams.delete('offset');
	if (url.pathname.endsWith('/orders')) url.searchParams.set('limit', String(ROWS_MAX));
	return url.pathname + url.search;
}

/** The actual state of the orders. */
type Find = (id: string) => Order | undefined;

interface View {
	dialect: Dialect;
	find: Find;
	now: number;
}

/** The response in the form this service gives it. */
export function answered(view: View, path: string, response: Response): Response {
	const url = new URL(path, 'http://service');
	const [, id] = /\/orders\/([^/]+)$/.exec(url.pathname) ?? [];
	const isList = url.pathname.endsWith('/orders');
	if (response.status !== 200 || (!isList && id === undefined)) return response;
	const parsed = JSON.parse(response.body) as { data: OrderView };
	if (id !== undefined) {
		if (isLate(view, id)) return { ...response, status: 404, body: '{"message":"There is no such order."}' };
		return { ...response, body: JSON.stringify({ ...parsed, data: show(view, parsed.data) }) };
	}
	return { ...response, body: JSON.stringify({ ...parsed, data: listed(view, parsed.data, url) }) };
}

function listed(view: View, data: OrderView, { searchParams }: URL): OrderView {
	const { dialect } = view;
	const isByStatus = !dialect.ignoresStatus && searchParams.has('status');
	const status = searchParams.get('status') ?? undefined;
	const ours = data.orders as OrderView[];
	const all = dialect.others ? among(dialect.others, ours, { now: view.now, status }) : ours;
	const orders = all
		.filter(({ id }) => !isLate(view, String(id)))
		.filter(({ status }) => !dialect.hidesEnded || isByStatus || open.includes(String(status)));
	const page = paged(dialect, orders, searchParams).map((order) => show(view, order));
	const counted = { all: orders.length, page: page.length, nothing: undefined };
	return { count: counted[dialect.counts], orders: page };
}

function paged({ onePage, others }: Dialect, orders: OrderView[], requested: URLSearchParams): OrderView[] {
	const offset = Number(requested.get('offset') ?? 0);
	const rows = Math.min(Number(requested.get('limit') ?? orders.length), others?.pageRows ?? orders.length);
	if (!onePage) return orders.slice(offset, offset + rows);
	return onePage.from === 'newest' ? orders.slice(0, onePage.rows) : orders.slice(-onePage.rows).reverse();
}

/** A replacement that is not shown yet. */
function isLate({ dialect, find, now }: View, id: string): boolean {
	const order = find(id);
	return order !== undefined && order.replaces !== null && order.createdAt > now - dialect.successorLateMs;
}

/** The fields an order shows of itself and of its links. */
function show(view: View, order: OrderView): OrderView {
	const { dialect, find } = view;
	const truth = find(String(order.id ?? order.order_id));
	if (!truth) return order;
	const replaced = truth.replacedBy !== null && !isLate(view, truth.replacedBy) ? truth.replacedBy : null;
	const links = dialect.hidesLinks
		? { replaced_by_order_id: null, replaces_order_id: null }
		: { replaced_by_order_id: replaced, replaces_order_id: truth.replaces };
	const original = truth.replaces === null ? undefined : find(truth.replaces);
	const name = dialect.keepsName && original ? original.clientOrderId : order.client_order_id;
	return { ...order, client_order_id: stored(dialect, name), replace: links };
}

const DERIVED_KEY = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?:_.*)?$/;
const NAME_LENGTH_MAX = 20;

function stored({ namesAs }: Dialect, name: unknown): unknown {
	if (typeof name !== 'string' || namesAs === 'sent' || !DERIVED_KEY.test(name)) return name;
	return namesAs === 'cut' ? name.slice(0, NAME_LENGTH_MAX) : name.replaceAll('-', '');
}
