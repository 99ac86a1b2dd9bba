import { isExchangeError } from '@partner-exchange/core';
import type { VirtualTime } from '../support/time';
import { hasGaps, losesReplaced } from './dialect';
import type { Host, Order } from './host';
import type { Call, Record } from './record';
import type { Service } from './service';
import type { Weather } from './weather';

/** After everything was asked and everything heals, the longest call and the last held-up request have ended. */
export const QUIET_MS = 300_000;
/** What a call left unknown is looked for so long after it, and a last reading may begin at the very end. */
const SETTLING_MS = 31 * 60_000;

interface Calm {
	time: VirtualTime;
	host: Host;
	weather: Weather;
	service: Service;
	record: Record;
	/** What was asked for at least once. */
	begun: readonly Order[];
}

/** The second phase: faults have stopped, so that everything has to come to an end, and to a true one. */
export async function liveOn(calm: Calm): Promise<void> {
	await calm.time.run(calm.time.now() + SETTLING_MS);
	for (const call of calm.record.calls) expectSettled(calm, call);
	await askAgain(calm);
	await resolveAll(calm);
}

/** What a call of a living process left unknown is told after it, or another call of the same intent knew. */
function expectSettled({ record, host, weather }: Calm, call: Call): void {
	const { claim, life, intent, declined } = call;
	if (claim?.is !== 'unknown' || life !== host.life || intent === 'recovery' || declined) return;
	const isAlike = (other: Pick<Call, 'kind' | 'subject' | 'life'>): boolean =>
		other.kind === call.kind && other.subject === call.subject && other.life === life;
	const claims = record.calls.filter(isAlike).flatMap((other) => other.claim ?? []);
	const isKnown = [...claims, ...record.settled.filter(isAlike)].some(({ is }) => is !== 'unknown');
	// Whoever looks keeps to the key the call had.
	const isKeyGone = weather.rotatesAt !== undefined;
	const isNameShared = record.calls.some(
		(other) => other.intent === intent && other.kind === call.kind && other.subject !== call.subject,
	);
	if (isKnown || isNameShared || isKeyGone || hasGaps(weather.dialect) || isMixedUp(claim.text)) return;
	record.violate(`call ${call.number} is left unknown: ${claim.text.slice(0, 300)}`);
}

/** Where a name was used for something else as well, nobody can tell what became of the first. */
const isMixedUp = (text: string): boolean => text.includes('"cause":"conflict"') || text.includes('something else');

/** What is asked for once more is done by then, or is done now. */
async function askAgain({ time, host, weather, record, begun }: Calm): Promise<void> {
	for (const order of begun) {
		const claim = host.run({ ...order, repeated: true, abortAfterMs: undefined });
		void claim.then(({ is, text }) => {
			// What an earlier run might have sent before it had its guard is denied by nobody.
			if (order.isForbidden && (is === 'refused' || is === 'unknown')) return;
			if (is === 'accepted' || (isMixedUp(text) && (!order.naming || losesReplaced(weather.dialect)))) return;
			const call = record.calls.at(-1);
			// A service whose lists have gaps lets nobody know, and an agent is not asked twice for the same.
			if (is === 'unknown' ? hasGaps(weather.dialect) : call?.declined) return;
			record.violate(`${order.intent} never settles: ${is} ${text}`);
		});
		await time.run(time.now() + QUIET_MS);
	}
}

/** At the end of time, resolving tells the truth about everything that was ever sent. */
async function resolveAll({ time, host, weather, service, record }: Calm): Promise<void> {
	const sent = record.calls.filter(({ kind, sends }) => kind === 'create' && sends[0]?.bytes.startsWith('[') === false);
	for (const name of new Set(sent.map(clientOrderIdOf))) {
		const exists = service.orders().some(({ clientOrderId }) => clientOrderId === name);
		void host.resolve(name).then(
			({ outcome }) =>
				outcome === (exists ? 'accepted' : 'not_found') || record.violate(`resolving ${name} says ${String(outcome)}`),
			(error: Error) => {
				// A service whose lists have gaps lets nobody know, and the client says so.
				if (isExchangeError(error, 'limit_reached') && hasGaps(weather.dialect)) return;
				record.violate(`resolving ${name} fails: ${error.message}`);
			},
		);
	}
	await time.run(time.now() + 60_000);
}

const clientOrderIdOf = ({ sends }: Call): string => {
	const { bytes } = sends[0]!;
	return (JSON.parse(bytes.slice(bytes.indexOf(' '))) as { client_order_id: string }).client_order_id;
};
