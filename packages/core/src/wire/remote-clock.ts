import type { Clock, HttpResponse } from '../ports';
import { instantOf } from './payload';
import { isPage, isSuccess } from './response';

/** The service's clock, estimated from the dates of its replies, because the local clock may be wrong. */
export interface ServiceClock {
	/** The service's time at a local monotonic time, in milliseconds since 1970. Never ahead of the real one. */
	at(elapsed: number): number | undefined;
}

/**
 * The earliest and the latest time that it can be at a local monotonic time: our own clock and the service's tell it,
 * and either may be wrong by days. The caller takes the one that is more careful.
 */
export function timesAt(
	elapsed: number,
	clock: Pick<Clock, 'elapsed' | 'now'>,
	service: ServiceClock,
): { earliest: number; latest: number } {
	const own = clock.now() + elapsed - clock.elapsed();
	const remote = service.at(elapsed) ?? own;
	return { earliest: Math.min(own, remote), latest: Math.max(own, remote) };
}

/** A clock that is set by every successful reply it reads. */
export function serviceClock(clock: Pick<Clock, 'elapsed'>): ServiceClock & { read(reply: HttpResponse): void } {
	let offset: number | undefined;
	let dated: { text?: string; date?: number } = {};
	return {
		read: (reply) => {
			const { date: text, age } = reply.headers;
			// A cache passes on the date of the answer it stored, and adds its age. A failure may be a gateway's, with a clock
			// of its own, and so may a page.
			if (age !== undefined || !isSuccess(reply) || isPage(reply)) return;
			// Replies of the same second carry the same date, which is slow to parse.
			if (text !== dated.text) dated = { text, date: instantOf(text) };
			const { date } = dated;
			// A reply is dated before it arrives, so the smallest offset never runs ahead of the service.
			if (date !== undefined) offset = Math.min(offset ?? Number.POSITIVE_INFINITY, date - clock.elapsed());
		},
		at: (elapsed) => (offset === undefined ? undefined : offset + elapsed),
	};
}
