/** A service that keeps no public trades over a restart, and numbers those that follow from the first on again. */
export interface TradeNumbers {
	/** Beginning with the next, trades are numbered anew. */
	restart(highest: number): void;
	/** Up to which trade of all that happened everything is forgotten. */
	forgotten(): number;
	/** A message or an answer as it is with those numbers. */
	shown(text: string): string;
	/** The address of a read as the sandbox knows it. */
	asked(url: string): string;
	/** The answer to it without what is forgotten. */
	remembered(body: string): string;
}

interface TradesBody {
	data: { trades: { sequence: number }[] } | { sequence: number }[];
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
		remembered: (body) => {
			if (forgotten === 0) return body;
			const { data, ...around } = JSON.parse(body) as TradesBody;
			const kept = (rows: { sequence: number }[]) =>
				rows
					.filter(({ sequence }) => sequence > forgotten)
					.map((row) => ({ ...row, sequence: row.sequence - forgotten }));
			const shown = Array.isArray(data) ? kept(data) : { ...data, trades: kept(data.trades) };
			return JSON.stringify({ ...around, data: shown });
		},
	};
}
