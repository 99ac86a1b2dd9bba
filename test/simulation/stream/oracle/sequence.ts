import type { Cover, Seen } from '../host';
import { nameOf } from '../truth';

type Delivery = Seen['deliveries'][number];
/** The keys an order has had because of corrections. */
type Corrected = (orderId: string) => readonly string[];

const ranks: Record<string, number> = {
	pending: 0,
	accepted: 1,
	partially_filled: 2,
	filled: 3,
	cancelled: 3,
	rejected: 3,
};

/**
 * Within a sitting no event is repeated and no order goes back. A sitting starts with the stored state, which is not
 * repeated either.
 */
export const judgeSequence = (seen: Seen, corrected: Corrected): string[] =>
	seen.sittings.flatMap((covered, sitting) => {
		const stored = covered ? seen.deliveries.filter((delivery, index) => isCovered(delivery, index, covered)) : [];
		return judgeSitting(
			seen.name,
			stored,
			seen.deliveries.filter((delivery) => delivery.sitting === sitting),
			corrected,
		);
	});

function judgeSitting(
	name: string,
	stored: readonly Delivery[],
	deliveries: readonly Delivery[],
	corrected: Corrected,
): string[] {
	const broken: string[] = [];
	// What is no record of its topic is known by its content, and no later process knows whether it was that message.
	const keys = new Set(
		stored.map(({ event }) => event.eventKey).filter((key, index) => !key.startsWith(`${stored[index]!.event.topic}:`)),
	);
	const orders = new Map<string, { rank: number; filled: number }>();
	const states = new Set(stored.map(stateOf));
	for (const { event } of stored) noteOrder(orders, event.topic, event.data);
	for (const delivery of deliveries) {
		const { event } = delivery;
		if (keys.has(event.eventKey)) broken.push(`${name} got ${event.eventKey} twice`);
		keys.add(event.eventKey);
		const step = noteOrder(orders, event.topic, event.data);
		// The service corrects an order to a state once.
		if (step && isBack(step) && (states.has(stateOf(delivery)) || !isCorrection(event, corrected)))
			broken.push(`${name} saw an order go back in ${event.eventKey}`);
		states.add(stateOf(delivery));
	}
	return broken;
}

/** A correction by the service itself goes back. */
const isCorrection = ({ eventKey, data }: Delivery['event'], corrected: Corrected): boolean =>
	corrected((data as { id: string }).id).includes(nameOf(eventKey));

/** A state of an order, by the time the service gave it; without one each event is its own. */
function stateOf({ event: { eventKey, data } }: Delivery): string {
	const { updated_at } = data as { updated_at?: unknown };
	return updated_at === undefined ? eventKey : `${nameOf(eventKey)}|${String(updated_at)}`;
}

interface Standing {
	rank: number;
	filled: number;
}

const isBack = ({ before, after }: { before: Standing; after: Standing }): boolean =>
	after.rank < before.rank || after.filled < before.filled;

function noteOrder(orders: Map<string, { rank: number; filled: number }>, topic: string, data: unknown) {
	if (topic !== 'user.orders') return undefined;
	const { id, status, filled_quantity: filled } = data as { id: string; status: string; filled_quantity: string };
	const [before, after] = [orders.get(id), { rank: ranks[status]!, filled: Number(filled) }];
	orders.set(id, after);
	return before && { before, after };
}

function isCovered(delivery: Delivery, index: number, cover: Cover | undefined): boolean {
	if (!cover) return false;
	const isHere =
		delivery.sitting === cover.sitting && index < cover.until && cover.topics.includes(delivery.event.topic);
	return isHere || isCovered(delivery, index, cover.before);
}
