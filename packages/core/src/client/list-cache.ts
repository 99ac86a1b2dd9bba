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
	const lists = new Map<OperationId, { list: Promise<unknown>; until: number }>();
	return (id) => {
		const cached = lists.get(id);
		if (cached && clock.elapsed() < cached.until) return cached.list;
		const list = read(id, {});
		lists.set(id, { list, until: clock.elapsed() + KEPT_MS });
		list.catch(() => lists.delete(id));
		return list;
	};
}
