import { fillIdOf } from '../fills';
import type { Seen } from '../host';
import { identityOf, TRADES, type Truth } from '../truth';

/** What lists show late cannot be told from what was lost a moment ago. */
const SLACK_MS = 2_000;

/** What happened before somebody listened for the first time is never told as news. */
export function judgeNews({ name, beganAt, taken }: Seen, truth: Truth, lagMs: number): string[] {
	const fills = new Map(truth.fills().map(({ id, at }) => [id, at]));
	const trades = new Map(truth.trades().map(({ id, at }) => [id, at]));
	const happenedAt = (topic: string, key: string, data: unknown): number | undefined => {
		if (topic === 'user.fills') return fills.get(fillIdOf(data)!);
		const { id } = data as { id: string };
		if (topic === TRADES) return trades.get(id);
		// An order that was made smaller in place has the key it had before.
		return truth.orders.get(id)?.find(({ identity }) => identity === identityOf(key, data))?.at;
	};
	return taken.flatMap(({ event: { topic, eventKey, data } }) => {
		const at = happenedAt(topic, eventKey, data);
		if (at === undefined || at >= beganAt! - lagMs - SLACK_MS) return [];
		return [`${name} got ${eventKey}, which is ${((beganAt! - at) / 1000).toFixed(1)} s older than its beginning`];
	});
}
