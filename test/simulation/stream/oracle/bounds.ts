import {
	OPEN_ORDERS_MAX,
	READ_SPACING_MS,
	READS_PER_MINUTE_MAX,
	STORED_ENDED_MAX,
	STORED_KEYS_MAX,
} from '../../../../packages/core/src/stream/limits';
import type { Seen } from '../host';
import type { Layer } from '../layer';
import type { Truth } from '../truth';

const MINUTE_MS = 60_000;
/** The largest stored size of a digest, of an order, and of everything else of a topic. */
const [DIGEST_LENGTH, ORDER_LENGTH, TOPIC_LENGTH] = [10, 150, 2_000];
/** A walk that steps back, and one that ends a list, begin at the first row again. */
const BEGUN_AGAIN_MAX = 4;
/** Page lengths each process tries without success, by two backfills at once, before it knows the maximum. */
const TOO_LONG_MAX = 3 * 2;

/** Counts backfills as seen by the service, each by its first page, and the confirmations that trigger one. */
export interface Bounds {
	/** A request refused because of its page length is not a backfill. */
	request(now: number, url: string, isTooLong: boolean): void;
	confirmed(now: number): void;
	/** A process began, which keeps a budget of its own. */
	began(now: number): void;
	/** The number of backfills of a topic within a minute beyond the budget. */
	judge(subscribers: number): string[];
	/** The same against what a layer allows. */
	judgeMost(layer: Pick<Layer, 'readingsPerMinuteMax'>): string[];
}

/**
 * By first page, and how many per minute. The fills of single orders that do not add up are read one after the other.
 */
const readings = [
	{ page: /\/fills\?(?!.*order_id=)(?=.*offset=0(?:&|$))/, perMinute: READS_PER_MINUTE_MAX },
	{ page: /\/fills\?(?=.*order_id=)(?=.*offset=0(?:&|$))/, perMinute: MINUTE_MS / READ_SPACING_MS },
	{ page: /\/orderbook\//, perMinute: READS_PER_MINUTE_MAX },
];

export function watchBounds(): Bounds {
	const requests = readings.map((): number[] => []);
	const tooLong = readings.map((): number[] => []);
	const confirmed: number[] = [];
	const processes: number[] = [];

	return {
		request: (now, url, isTooLong) => {
			readings.forEach(({ page }, index) => {
				if (!page.test(url)) return;
				const all = (isTooLong ? tooLong : requests)[index]!;
				// One that steps back at once, because another replica shows fewer rows, is the same backfill.
				if (isTooLong || now - (all.at(-1) ?? -Infinity) >= READ_SPACING_MS) all.push(now);
			});
		},
		confirmed: (now) => void confirmed.push(now),
		began: (now) => void processes.push(now),
		judge: (subscribers) =>
			requests.flatMap((times, index) => {
				const { page, perMinute } = readings[index]!;
				const inVain = tooLong[index]!.length - TOO_LONG_MAX * processes.length;
				const worst = times.reduce((most, from) => {
					const count = (all: number[]) => all.filter((at) => at >= from && at < from + MINUTE_MS).length;
					const budgets = 1 + count(processes);
					const allowed = budgets * perMinute + count(confirmed) + subscribers + BEGUN_AGAIN_MAX;
					return Math.max(most, count(times) - allowed);
				}, inVain);
				return worst > 0 ? [`${worst} readings of ${String(page)} in a minute are beyond the budget`] : [];
			}),
		judgeMost: ({ readingsPerMinuteMax = Infinity }) => {
			const count = mostIn(requests[0]!);
			const isTooMany = count > readingsPerMinuteMax;
			return isTooMany ? [`${count} readings of fills in a minute, and ${readingsPerMinuteMax} are allowed`] : [];
		},
	};
}

/** The most of these within one minute. */
const mostIn = (times: readonly number[]): number =>
	times.reduce((most, from) => Math.max(most, times.filter((at) => at >= from && at < from + MINUTE_MS).length), 0);

/** The stored state of a trigger is bounded, whatever it received. */
export function judgeStored({ name, consumer, stored }: Seen, { orders: known }: Truth): string[] {
	const length = JSON.stringify(stored ?? {}).length;
	const orders = Math.min(OPEN_ORDERS_MAX + STORED_ENDED_MAX, known.size);
	const most = STORED_KEYS_MAX * DIGEST_LENGTH + orders * ORDER_LENGTH + TOPIC_LENGTH;
	return length > most * consumer.topics.length ? [`${name} stored ${length} characters`] : [];
}
