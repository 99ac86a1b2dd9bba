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
	/** The response without what is lost, and without what it does not show yet. */
	remembered(body: string, isHidden: (row: TradeRow) => boolean): string;
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
		remembered: (body, isHidden) => {
			const { data, ...around } = JSON.parse(body) as TradesBody;
			const kept = (rows: TradeRow[]) =>
				rows
					.filter((row) => row.sequence > forgotten && !isHidden(row))
					.map((row) => ({ ...row, sequence: row.sequence - forgotten }));
			const shown = Array.isArray(data) ? kept(data) : { ...data, trades: kept(data.trades) };
			return JSON.stringify({ ...around, data: shown });
		},
	};
}
