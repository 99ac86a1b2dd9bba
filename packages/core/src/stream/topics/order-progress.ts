import { compare } from '../../decimal';
import { isFinal, type OrderFacts } from './event';

const ranks: Readonly<Record<string, number>> = {
	pending: 0,
	accepted: 1,
	partially_filled: 2,
	expired: 3,
	filled: 4,
	cancelled: 4,
	rejected: 4,
};

/** A status never heard of stands where the order stood before it. */
const rankOf = (status: string, otherwise: number): number => ranks[status] ?? otherwise;

/**
 * Whether an update tells something an order has not told before. Updates overtake each other and are repeated, so a lower
 * status or a smaller filled quantity is old news, and nothing follows a final status but more of the same.
 */
export function isNews(update: OrderFacts, known: OrderFacts | undefined): boolean {
	if (!known) return true;
	const more = update.filled === undefined || known.filled === undefined ? 0 : compare(update.filled, known.filled);
	if (more < 0) return false;
	if (update.status !== known.status) {
		const before = rankOf(known.status, 1);
		return !isFinal(known.status) && rankOf(update.status, before) >= before;
	}
	return (
		more > 0 ||
		(update.filled !== undefined && known.filled === undefined && !isFinal(known.status)) ||
		isNewReplacement(update, known)
	);
}

const isNewReplacement = (update: OrderFacts, known: OrderFacts): boolean =>
	update.replacedBy !== undefined && update.replacedBy !== known.replacedBy;

/** What is known after an update, of which no part is forgotten when the update does not repeat it. */
export const after = (update: OrderFacts, known: OrderFacts | undefined): OrderFacts => ({
	id: update.id,
	status: update.status,
	filled: update.filled ?? known?.filled,
	replacedBy: update.replacedBy ?? known?.replacedBy,
});
