import { UPDATES_PER_ORDER, type ServiceFeed } from './frames';

/** A list as the service answers it, of what the stream had sent a while ago. */
export function answerList(feed: ServiceFeed, path: string, query: URLSearchParams, count: number): object {
	const numberIn = (name: string, standard: number): number => Number(query.get(name) ?? standard);
	const [offset, limit] = [numberIn('offset', 0), numberIn('limit', 100)];
	const name = path.split('/').at(-1)!;
	if (name === 'markets') return { markets: marketsOf(feed) };
	if (name === 'trades') {
		const pair = pairsOf(feed).indexOf(query.get('pair_id') ?? '');
		const total = Math.floor((count - pair - 1) / feed.topics) + 1;
		const after = query.has('after_sequence') ? numberIn('after_sequence', 0) : Math.max(0, total - limit);
		const length = Math.max(0, Math.min(limit, total - after));
		return { trades: rows(length, (index) => feed.record((after + index) * feed.topics + pair + 1)) };
	}
	if (name === 'fills') {
		const length = Math.max(0, Math.min(limit, count - offset));
		return { count: length, fills: rows(length, (index) => feed.record(count - offset - index)) };
	}
	if (name === 'orders') {
		const orders = ordersAt(feed, count, query.get('status'), { offset, limit });
		return { count: orders.length, orders };
	}
	return {};
}

const rows = <Row>(length: number, row: (index: number) => Row): Row[] =>
	Array.from({ length }, (_, index) => row(index));

/** Orders, the latest first. Only the latest may still be open. */
function ordersAt(
	feed: ServiceFeed,
	count: number,
	status: string | null,
	{ offset, limit }: { offset: number; limit: number },
): Record<string, unknown>[] {
	const total = Math.ceil(count / UPDATES_PER_ORDER);
	const latest = count > 0 ? [feed.record(count)] : [];
	const isOpen = latest.some((row) => row['status'] !== 'filled');
	if (status !== null && status !== 'filled') return latest.filter((row) => row['status'] === status).slice(offset);
	const skipped = status === 'filled' && isOpen ? 1 : 0;
	const length = Math.max(0, Math.min(limit, total - skipped - offset));
	return rows(length, (index) => {
		const order = total - skipped - offset - index;
		return feed.record(Math.min(order * UPDATES_PER_ORDER, count));
	});
}

const pairsOf = ({ topics }: ServiceFeed): string[] =>
	topics === 1 ? ['USD/NGN'] : rows(topics, (index) => `P${index}/NGN`);

const marketsOf = (feed: ServiceFeed): object[] =>
	pairsOf(feed).map((pair_id) => ({ pair_id, base_currency: pair_id.split('/')[0], quote_currency: 'NGN' }));
