/** In which order fills reach a consumer: the first arrival of each, because whatever comes again comes out of turn. */

/** The names that come first after a later one of `turns` had come. Names that are not in it have no turn. */
export function overtaken(firstCopies: Iterable<string>, turns: readonly string[]): string[] {
	const turnOf = new Map(turns.map((name, turn) => [name, turn]));
	let latest = -1;
	return [...new Set(firstCopies)].filter((name) => {
		const turn = turnOf.get(name) ?? latest;
		const isLate = turn < latest;
		latest = Math.max(latest, turn);
		return isLate;
	});
}

const EVENT_KEY = /"eventKey":"([^"]+)"/g;
/** Longer than an event key with its name. */
const REST_LENGTH_MAX = 256;

/** Reads event keys out of what a broker sends on one connection: the fills are JSON there, by MQTT and by AMQP. */
export function eventKeys(report: (eventKey: string) => void): (chunk: Buffer) => void {
	let rest = '';
	return (chunk) => {
		rest += chunk.toString('latin1');
		let end = 0;
		for (const match of rest.matchAll(EVENT_KEY)) {
			report(match[1]!);
			end = match.index + match[0].length;
		}
		rest = rest.slice(end).slice(-REST_LENGTH_MAX);
	};
}
