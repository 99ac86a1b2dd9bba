import type { HttpRequest, HttpResponse } from '@partner-exchange/core';
import { hashOf, type Random } from '../support/random';
import { fillShapes, type Fill, type FillShape } from './fills';

/** Variations of lists that the interface leaves open. */
export interface ListHabits {
	order: keyof typeof orders;
	times: keyof typeof times;
	/** Rows per page; a client that requests more gets this many, or is refused. */
	pageMax: number;
	refusesMore: boolean;
	/** Whatever page is asked for, the whole list is answered. */
	isUnpaged: boolean;
}

export type Row = Record<string, unknown> & { id: string; created_at: string; updated_at?: string };

export const plainLists: ListHabits = {
	order: 'newest first',
	times: 'text',
	pageMax: 500,
	refusesMore: false,
	isUnpaged: false,
};

export const drawLists = (chance: Random, pageMax: number, hasTimes: boolean): ListHabits => ({
	order: chance.happens(0.25) ? chance.pick(Object.keys(orders) as ListHabits['order'][]) : 'newest first',
	times: chance.happens(hasTimes ? 0 : 0.15) ? chance.pick(usualTimes) : 'text',
	pageMax,
	refusesMore: chance.happens(0.1),
	isUnpaged: false,
});

const secondOf = ({ created_at: at }: Row): number => Math.floor(Date.parse(at) / 1000);
const changedAt = ({ created_at: created, updated_at: updated = created }: Row): number => Date.parse(updated);

const MISPLACED_EVERY = 4;
/** A number from 0 up to 1 that an identifier always has. */
export const shareOf = (id: string): number => hashOf(id) / 2 ** 32;
const isMisplaced = (id: string): boolean => hashOf(id) % MISPLACED_EVERY === 0;

/** Each receives the rows as the sandbox shows them, newest first. */
const orders = {
	'newest first': (rows: Row[]) => rows,
	'oldest first': (rows: Row[]) => rows.toReversed(),
	'by last change': (rows: Row[]) => rows.toSorted((a, b) => changedAt(b) - changedAt(a)),
	'by chance among equals': (rows: Row[]) =>
		rows.toSorted((a, b) => secondOf(b) - secondOf(a) || hashOf(a.id) - hashOf(b.id)),
	/** In order, but for some rows that stand anywhere, so that every page or two shows it. */
	'newest first but some': (rows: Row[]) => {
		const inOrder = rows.filter(({ id }) => !isMisplaced(id));
		for (const row of rows.filter(({ id }) => isMisplaced(id)))
			inOrder.splice(Math.floor(shareOf(row.id) * (inOrder.length + 1)), 0, row);
		return inOrder;
	},
	'by chance': (rows: Row[]) => rows.toSorted((a, b) => hashOf(a.id) - hashOf(b.id)),
};

const times = {
	text: (at: string): unknown => at,
	seconds: (at: string) => Date.parse(at) / 1000,
	milliseconds: (at: string) => Date.parse(at),
	microseconds: (at: string) => Date.parse(at) * 1_000,
	nanoseconds: (at: string) => String(BigInt(Date.parse(at)) * 1_000_000n),
	'another zone': (at: string) => new Date(Date.parse(at) + 3_600_000).toISOString().replace('Z', '+01:00'),
	none: () => undefined,
};

/** The forms that any seed may have. */
const usualTimes: readonly ListHabits['times'][] = ['text', 'seconds', 'milliseconds', 'another zone', 'none'];

/** Lists of one account; the interface shows the order of the others. */
const LIST = /\/(?:orders|fills|transactions)(?:\?|$)/;
const ALL = 200;

interface Listing {
	lists: ListHabits;
	fills: FillShape;
	forgetsRecords: boolean;
	lateFills: number;
	rowLagMs: number;
	fillsListed: number;
}

/** The same service with its own kind of lists. */
export const listing =
	(
		handle: (request: HttpRequest) => HttpResponse,
		{ lists: habits, fills, forgetsRecords, lateFills, rowLagMs, fillsListed }: Listing,
		isHidden: (row: Row) => boolean,
	) =>
	(request: HttpRequest): HttpResponse => {
		const limit = limitIn(request.url) ?? 0;
		const isList = request.method === 'GET' && LIST.test(request.url);
		if (isList && isTooLong(request.url, habits)) return tooMany;
		const isOfFills = request.url.includes('/fills');
		const shape = isOfFills ? fills : 'bare';
		const hides = forgetsRecords || (isOfFills && (lateFills > 0 || rowLagMs > 0 || fillsListed < Infinity));
		if (!isList || (isPlain(habits) && shape === 'bare' && !hides))
			return handle({ ...request, url: limited(request.url, habits.pageMax) });
		const [from, most] = [
			Number(/[?&]offset=(\d+)/.exec(request.url)?.[1] ?? 0),
			Math.min(limit || ALL, habits.pageMax),
		];
		const page = (rows: Row[]) => {
			const ordered = orders[habits.order](rows);
			return habits.isUnpaged ? ordered : ordered.slice(from, from + most);
		};
		const isInOrder = habits.order === 'newest first' && !hides && !habits.isUnpaged;
		const answer = isInOrder
			? rowsOf(handle({ ...request, url: limited(request.url, habits.pageMax) }))
			: withoutSome(allRows(handle, request), isHidden, isOfFills ? fillsListed : Infinity);
		return dressed(answer, isInOrder ? (rows) => rows : page, habits, shape);
	};

/** Whether the service refuses a page of this length. */
export const isTooLong = (url: string, { refusesMore, pageMax }: ListHabits): boolean =>
	refusesMore && LIST.test(url) && (limitIn(url) ?? 0) > pageMax;

const isPlain = ({ order, times: time, isUnpaged }: ListHabits): boolean =>
	order === 'newest first' && time === 'text' && !isUnpaged;

const limited = (url: string, pageMax: number): string =>
	url.replace(/([?&](?:limit|page_size)=)(\d+)/, (_, name, limit) => `${name}${Math.min(Number(limit), pageMax)}`);

function limitIn(url: string): number | undefined {
	const match = /[?&](?:limit|page_size)=(\d+)/.exec(url)?.[1];
	return match === undefined ? undefined : Number(match);
}

const tooMany: HttpResponse = {
	status: 400,
	headers: {},
	body: JSON.stringify({ error: { code: 'invalid_limit', message: 'Too many records requested.' } }),
};

interface Listed {
	response: HttpResponse;
	/** Unless the response contains no list. */
	rows?: Row[];
	data?: unknown;
}

/** The complete list with its envelope, or the first response without a list. */
function allRows(handle: (request: HttpRequest) => HttpResponse, request: HttpRequest): Listed {
	const rows: Row[] = [];
	const url = request.url.replace(/[?&](?:limit|page_size|offset)=\d+/g, '').replace(/^([^?&]*)&/, '$1?');
	for (;;) {
		const paged = `${url}${url.includes('?') ? '&' : '?'}limit=${ALL}&offset=${rows.length}`;
		const { rows: matches, ...answer } = rowsOf(handle({ ...request, url: paged }));
		if (!matches) return answer;
		rows.push(...matches);
		if (matches.length < ALL) return { ...answer, rows };
	}
}

function withoutSome({ rows, data, ...answer }: Listed, isHidden: (row: Row) => boolean, most: number): Listed {
	if (!rows) return answer;
	const stored = rows.filter((row) => !isHidden(row)).slice(0, most);
	return { ...answer, rows: stored, data: Array.isArray(data) ? data : { ...(data as object), count: stored.length } };
}

function rowsOf(response: HttpResponse): Listed {
	if (response.status !== 200) return { response };
	const { data } = JSON.parse(response.body) as { data: unknown };
	return { response, rows: rowsIn(data), data };
}

const rowsIn = (data: unknown): Row[] =>
	Array.isArray(data) ? (data as Row[]) : (Object.values(data as object).find(Array.isArray) as Row[]);

function dressed(
	{ response, rows, data }: Listed,
	pageOf: (rows: Row[]) => Row[],
	habits: ListHabits,
	shape: FillShape,
): HttpResponse {
	if (!rows) return response;
	const time = times[habits.times];
	const page = pageOf(rows).map((row) => ({
		...fillShapes[shape].listed(row as unknown as Fill),
		created_at: time(row.created_at),
		...(row.updated_at === undefined ? {} : { updated_at: time(row.updated_at) }),
	}));
	const around = Array.isArray(data)
		? page
		: Object.fromEntries(
				Object.entries(data as object).map(([name, value]) => [name, Array.isArray(value) ? page : (value as unknown)]),
			);
	return { ...response, body: JSON.stringify({ data: around, status: 'success' }) };
}
