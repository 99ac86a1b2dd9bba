import type { OperationId } from '../catalogue';
import type { Clock } from '../ports';
import type { Read } from '../context';

/** How long a list that seldom changes is reused. */
const KEPT_MS = 60_000;

/**
 * Caches lists that take no input for a short time. Failures are not cached. Concurrent callers share one read, so no
 * caller can abort it.
 */
export function cachedLists(clock: Clock, read: Read): (id: OperationId) => Promise<unknown> {
	const kept = new Map<OperationId, { list: Promise<unknown>; until: number }>();
	return (id) => {
		const known = kept.get(id);
		if (known && clock.elapsed() < known.until) return known.list;
		const list = read(id, {});
		kept.set(id, { list, until: clock.elapsed() + KEPT_MS });
		list.catch(() => kept.delete(id));
		return list;
	};
}
