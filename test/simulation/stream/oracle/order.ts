import type { Seen } from '../host';
import { BOOK, TRADES } from '../truth';

/** By then the distance of neighbouring changes of a book is known. */
const LEARNED_AFTER = 25;

/** Where nothing is lost or overtaken, trades come in their order, and no change of a book is doubted. */
export const judgeOrder = (seen: Seen): string[] =>
	seen.sittings.flatMap((_, sitting) => {
		const deliveries = seen.deliveries.filter((delivery) => delivery.sitting === sitting).map(({ event }) => event);
		return [...judgeTrades(seen.name, deliveries), ...judgeDoubts(seen.name, deliveries)];
	});

type Events = readonly Seen['deliveries'][number]['event'][];

function judgeTrades(name: string, deliveries: Events): string[] {
	let latest = 0;
	return deliveries.flatMap(({ topic, data, kind }) => {
		const { sequence = 0 } = data as { sequence?: number };
		if (topic !== TRADES || kind) return [];
		const broken = sequence < latest ? [`${name} got trade ${sequence} after trade ${latest}`] : [];
		latest = Math.max(latest, sequence);
		return broken;
	});
}

const judgeDoubts = (name: string, deliveries: Events): string[] =>
	deliveries
		.filter(({ topic, delivery }) => topic === BOOK && delivery !== 'reconciled')
		.slice(LEARNED_AFTER)
		.filter(({ stale }) => stale)
		.map(({ eventKey }) => `${name} got ${eventKey} as stale although nothing was missing`);
