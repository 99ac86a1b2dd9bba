import { fillIdOf } from '../fills';
import type { Seen } from '../host';
import { identityOf, TRADES, type Truth } from '../truth';

/** An event that lists show late cannot be told from one that was just lost. */
const SLACK_MS = 2_000;

/** Events from before the first subscription are never delivered as new. */
export function judgeNews({ name, beganAt, deliveries }: Seen, truth: Truth, lagMs: number): string[] {
	const fills = new Map(truth.fills().map(({ id, at }) => [id, at]));
	const trades = new Map(truth.trades().map(({ id, at }) => [id, at]));
	const happenedAt = (topic: string, key: string, data: unknown): number | undefined => {
		if (topic === 'user.fills') return fills.get(fillIdOf(data)!);
		const { id } = data as { id: string };
		if (topic === TRADES) return trades.get(id);
		// An order that was reduced in place keeps its key.
		return truth.orders.get(id)?.find(({ identity }) => identity === identityOf(key, data))?.at;
	};
	return deliveries.flatMap(({ event: { topic, eventKey, data } }) => {
		const at = happenedAt(topic, eventKey, data);
		if (at === undefined || at >= beganAt! - lagMs - SLACK_MS) return [];
		return [`${name} got ${eventKey}, which is ${((beganAt! - at) / 1000).toFixed(1)} s older than its beginning`];
	});
}
