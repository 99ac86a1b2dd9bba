import type { HttpResponse } from '@partner-exchange/core';

/** The trades the sandbox answers without a limit. */
const PAGE = 50;

/** A service that loses its public trades in a restart, and numbers those that follow from one on again. */
export interface TradeNumbers {
	/** Renumbers trades, beginning with the next. */
	restart(highest: number): void;
	/** The last of all trades that is lost. */
	forgotten(): number;
	/** A message or a response with those numbers. */
	shown(text: string): string;
	/** The address of a read as the sandbox understands it. */
	asked(url: string): string;
	/** The response to a read: a page of what is neither lost nor hidden. */
	listed(read: (url: string) => HttpResponse, url: string, showing: Showing): HttpResponse;
}

interface Showing {
	isHidden(row: TradeRow): boolean;
	pageMax: number;
}

interface TradeRow {
	id: string;
	created_at: string;
	sequence: number;
}

interface TradesBody {
	data: { trades: TradeRow[] } | TradeRow[];
}

export function numberTrades(): TradeNumbers {
	let forgotten = 0;

	return {
		restart: (highest) => void (forgotten = highest),
		forgotten: () => forgotten,
		shown: (text) =>
			forgotten === 0 || !text.startsWith('{"type":"data","topic":"trades.')
				? text
				: text.replace(/"sequence":(\d+)/g, (_, sequence) => `"sequence":${Number(sequence) - forgotten}`),
		asked: (url) =>
			forgotten === 0
				? url
				: url.replace(/([?&]after_sequence=)(\d+)/, (_, name, after) => `${name}${Number(after) + forgotten}`),
		listed: (read, url, { isHidden, pageMax }) => {
			const { answer, rows } = allTrades(read, url, forgotten);
			if (!rows) return answer;
			const after = numberIn(url, 'after_sequence');
			const most = Math.min(numberIn(url, 'limit') ?? PAGE, pageMax);
			const seen = rows.filter((row) => !isHidden(row));
			const page =
				after === undefined ? seen.slice(-most) : seen.filter(({ sequence }) => sequence > after).slice(0, most);
			const shown = page.map((row) => ({ ...row, sequence: row.sequence - forgotten }));
			const { data, ...around } = JSON.parse(answer.body) as TradesBody;
			return { ...answer, body: JSON.stringify({ ...around, data: Array.isArray(data) ? shown : { trades: shown } }) };
		},
	};
}

/** Every trade after a number, with the last response, or the first one without trades. */
function allTrades(read: (url: string) => HttpResponse, url: string, after: number) {
	const [path, query] = url.split('?') as [string, string];
	const search = new URLSearchParams(query);
	const rows: TradeRow[] = [];
	for (let from = after; ; from = rows.at(-1)!.sequence) {
		search.set('after_sequence', String(from));
		search.set('limit', String(PAGE));
		const answer = read(`${path}?${search}`);
		if (answer.status !== 200) return { answer };
		const { data } = JSON.parse(answer.body) as TradesBody;
		const found = Array.isArray(data) ? data : data.trades;
		rows.push(...found);
		if (found.length === 0) return { answer, rows };
	}
}

const numberIn = (url: string, name: string): number | undefined => {
	const found = new RegExp(`[?&]${name}=(\\d+)`).exec(url)?.[1];
	return found === undefined ? undefined : Number(found);
};
