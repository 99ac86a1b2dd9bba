import type { HttpResponse } from '@partner-exchange/core';

/** The trades the sandbox answers without a limit. */
const PAGE = 50;

/** How a service numbers its public trades. */
export interface TradeNumbers {
	/** Whether the trades are as the sandbox has them. */
	isPlain(): boolean;
	/** A message with those numbers. */
	show(text: string): string;
	/** The address of a read as the sandbox understands it. */
	request(url: string): string;
	/** The response to a read: a page of what is neither lost nor hidden. */
	listed(read: (url: string) => HttpResponse, url: string, showing: Showing): HttpResponse;
}

interface Showing {
	isHidden(row: TradeRow): boolean;
	/** How many of the newest it lists. */
	listedMax: number;
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

/** How a service numbers its trades: its own count, one it shares with others, one for two trades, or only in the list. */
export type Numbering = keyof typeof numberings;

interface Counting {
	show(number: number): number;
	/** The last of its own numbers up to a shown one. */
	own(number: number): number;
	isUntold?: true;
}

const JUMP = 7;

const numberings = {
	'one by one': { show: (number) => number, own: (last) => last },
	jumping: { show: (number) => number * JUMP + (number % 3), own: (last) => lastUpTo(last) },
	'untold on the stream': { show: (number) => number, own: (last) => last, isUntold: true },
} satisfies { readonly [name: string]: Counting };

function lastUpTo(count: number): number {
	const number = Math.floor(count / JUMP);
	return numberings.jumping.show(number) <= count ? number : number - 1;
}

export function numberTrades(numbering: Numbering): TradeNumbers {
	const counting: Counting = numberings[numbering];
	return {
		isPlain: () => numbering === 'one by one',
		show: (text) => {
			if (!text.startsWith('{"type":"data","topic":"trades.')) return text;
			if (counting.isUntold) return text.replace(/"sequence":\d+,?/g, '');
			return text.replace(/"sequence":(\d+)/g, (_, sequence) => `"sequence":${counting.show(Number(sequence))}`);
		},
		request: (url) =>
			url.replace(
				/([?&]after_sequence=)(\d+)/,
				(_, name, after) => `${name}${Math.max(0, counting.own(Number(after)))}`,
			),
		listed: (read, url, { isHidden, listedMax, pageMax }) => {
			const { answer, rows } = allTrades(read, url);
			if (!rows) return answer;
			const after = numberIn(url, 'after_sequence');
			const most = Math.min(numberIn(url, 'limit') ?? PAGE, pageMax);
			const seen = rows.filter((row) => !isHidden(row)).slice(-listedMax);
			const page =
				after === undefined ? seen.slice(-most) : seen.filter(({ sequence }) => sequence > after).slice(0, most);
			const view = page.map((row) => ({ ...row, sequence: counting.show(row.sequence) }));
			const { data, ...around } = JSON.parse(answer.body) as TradesBody;
			return { ...answer, body: JSON.stringify({ ...around, data: Array.isArray(data) ? view : { trades: view } }) };
		},
	};
}

/** Every trade, with the last response, or the first one without trades. */
function allTrades(read: (url: string) => HttpResponse, url: string) {
	const [path, query] = url.split('?') as [string, string];
	const search = new URLSearchParams(query);
	const rows: TradeRow[] = [];
	for (let from = 0; ; from = rows.at(-1)!.sequence) {
		search.set('after_sequence', String(from));
		search.set('limit', String(PAGE));
		const answer = read(`${path}?${search}`);
		if (answer.status !== 200) return { answer };
		const { data } = JSON.parse(answer.body) as TradesBody;
		const matches = Array.isArray(data) ? data : data.trades;
		rows.push(...matches);
		if (matches.length === 0) return { answer, rows };
	}
}

const numberIn = (url: string, name: string): number | undefined => {
	const match = new RegExp(`[?&]${name}=(\\d+)`).exec(url)?.[1];
	return match === undefined ? undefined : Number(match);
};
