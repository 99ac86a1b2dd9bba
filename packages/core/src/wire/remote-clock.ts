import type { Clock, SendHttp } from '../ports';
import { instantOf } from './payload';

/** The clock of the service, estimated from the dates of its replies. The local clock may be wrong. */
export interface ServiceClock {
	/** The service's time at a moment of ours, in milliseconds since 1970. Never later than it truly was. */
	at(elapsed: number): number | undefined;
}

/** Reads the date of every reply on its way. */
export function withServiceClock(
	send: SendHttp,
	clock: Pick<Clock, 'elapsed'>,
): { send: SendHttp; service: ServiceClock } {
	let offset: number | undefined;
	return {
		send: async (request) => {
			const response = await send(request);
			const date = instantOf(response.headers.date);
			// A reply is dated before it arrives, so the least offset is the one that never runs ahead.
			if (date !== undefined) offset = Math.min(offset ?? Number.POSITIVE_INFINITY, date - clock.elapsed());
			return response;
		},
		service: { at: (elapsed) => (offset === undefined ? undefined : offset + elapsed) },
	};
}
