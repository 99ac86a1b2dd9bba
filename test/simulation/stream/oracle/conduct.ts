import { LIMITED_MS } from '../../../../packages/core/src/stream/limits';
import type { Seen } from '../host';
import type { Layer } from '../layer';
import type { Weather } from '../weather';

/** How the client treats the service: what it ends, how long it waits, and what it says of the key. */
export interface Conduct {
	heard(now: number, text: string, url: string): void;
	connects(now: number, url: string): void;
	/** The client ended a connection that was alive. */
	gaveUp(now: number): void;
	/** How often it came back too soon after it was asked to wait. */
	hasty(): number;
	ended(): number;
}

export function watchConduct(): Conduct {
	const limitedAt = new Map<string, number>();
	let [ended, hasty] = [0, 0];
	return {
		heard: (now, text, url) => {
			if (text.includes('"rate_limited"')) limitedAt.set(url, now);
		},
		connects: (now, url) => {
			if (now - (limitedAt.get(url) ?? Number.NEGATIVE_INFINITY) < LIMITED_MS.base) hasty += 1;
		},
		gaveUp: () => void (ended += 1),
		hasty: () => hasty,
		ended: () => ended,
	};
}

interface Judged {
	layer: Layer;
	drawn: Weather;
	seen: readonly Seen[];
}

export function judgeConduct(conduct: Conduct, { layer, drawn, seen }: Judged): string[] {
	const isRefused = drawn.refusedKey.length > 0;
	return [
		...(drawn.crashes.length === 0 && conduct.hasty() > 0 ? [`came back ${conduct.hasty()} times too soon`] : []),
		...(layer.keepsConnections && conduct.ended() > 0 ? [`ended ${conduct.ended()} connections that were alive`] : []),
		...(isRefused
			? []
			: seen.flatMap(({ name, refusedAt }) => refusedAt.map(() => `${name} was told of a refused key`))),
	];
}
