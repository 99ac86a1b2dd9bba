import { isExchangeError } from '@partner-exchange/core';
import type { VirtualTime } from '../support/time';
import { isUnder } from '../../../packages/core/src/orders/log/evidence';
import { hasGaps, losesReplaced } from './dialect';
import type { Host, Order } from './host';
import type { Call, Record } from './record';
import type { Service } from './service';
import type { Weather } from './weather';

/**
 * After all requests and the end of all faults, the longest call and the last delayed request have finished by then.
 */
export const QUIET_MS = 300_000;
/** How long an unknown outcome is looked up after its call; a last lookup may begin at the very end. */
const SETTLING_MS = 31 * 60_000;

interface Calm {
	time: VirtualTime;
	host: Host;
	weather: Weather;
	service: Service;
	record: Record;
	/** The intents that were requested at least once. */
	begun: readonly Order[];
}

/** The second phase: faults have stopped, so every intent must reach its true outcome. */
export async function liveOn(calm: Calm): Promise<void> {
	await calm.time.run(calm.time.now() + SETTLING_MS);
	for (const call of calm.record.calls) expectSettled(calm, call);
	await askAgain(calm);
	await resolveAll(calm);
}

/** An outcome unknown to a call of a living process is reported later, or by another call of the same intent. */
function expectSettled({ record, host, weather, service }: Calm, call: Call): void {
	const { claim, life, intent, declined } = call;
	if (claim?.is !== 'unknown' || life !== host.life || intent === 'recovery' || declined) return;
	const isAlike = (other: Pick<Call, 'kind' | 'subject' | 'life' | 'address'>): boolean =>
		other.kind === call.kind && other.subject === call.subject && other.life === life && other.address === call.address;
	const claims = record.calls.filter(isAlike).flatMap((other) => other.claim ?? []);
	const orderIds = new Set(call.address === host.address ? service.orders().map(({ id }) => id) : []);
	const isKnown = [...claims, ...record.settled.filter(isAlike)].some(({ is }) => is !== 'unknown');
	// A lookup uses the idempotency key of its call.
	const isKeyGone = weather.rotatesAt !== undefined;
	// What was recovered is known by its key alone.
	const isNamesake = (other: Call): boolean =>
		other.intent === intent || other.sends.some(({ bytes }) => intent === `recovered ${bytes.split(' ')[0]}`);
	const isNameShared = record.calls.some(
		(other) => isNamesake(other) && other.kind === call.kind && other.subject !== call.subject,
	);
	// What changes an order of the other account finds it nowhere.
	const isHere = call.kind === 'create' || (call.kind === 'cancel' && orderIds.has(call.subject));
	if (weather.movesAt && !isHere) return;
	// What is in doubt at another address is found there alone.
	if (claim.text.includes('another account')) return;
	if (isKnown || isNameShared || isKeyGone || hasGaps(weather.dialect) || isMixedUp(claim.text)) return;
	record.violate(`call ${call.number} is left unknown: ${claim.text.slice(0, 300)}`);
}

/** If a business key was used with several payloads, the outcome of the first cannot be determined. */
const isMixedUp = (text: string): boolean => text.includes('"cause":"conflict"') || text.includes('something else');

/** An intent that is requested again has been executed by then, or is executed now. */
async function askAgain({ time, host, weather, record, begun }: Calm): Promise<void> {
	for (const order of begun) {
		const claim = host.run({ ...order, repeated: true, abortAfterMs: undefined });
		void claim.then(({ is, text }) => {
			// An order that an earlier run might have sent before the limit was set is not denied by any later run.
			if (order.isForbidden && (is === 'refused' || is === 'unknown')) return;
			// A limit or the stop switch may have come between, and refuses what was not placed.
			if (weather.ordersPerDay !== undefined || weather.valuePerDay !== undefined || weather.stopsAt !== undefined)
				return;
			if (is === 'accepted' || is === 'ended' || (isMixedUp(text) && (!order.naming || losesReplaced(weather.dialect))))
				return;
			const call = record.calls.at(-1);
			// What the journal has under a key that was replaced is kept, because absence under another proves nothing.
			if (is === 'unknown' && (weather.rotatesAt ?? weather.movesAt) !== undefined && text.includes('another account'))
				return;
			// A service with incomplete lists gives no certainty, and an agent does not repeat a request.
			if (is === 'unknown' ? hasGaps(weather.dialect) : call?.declined) return;
			record.violate(`${order.intent} never settles: ${is} ${text}`);
		});
		await time.run(time.now() + QUIET_MS);
	}
}

/** At the end, resolving reports the truth about every request ever sent. */
async function resolveAll({ time, host, weather, service, record }: Calm): Promise<void> {
	const sent = record.calls.filter(
		({ kind, sends, address }) =>
			address === host.address && kind === 'create' && sends[0]?.bytes.startsWith('[') === false,
	);
	for (const name of new Set(sent.map(clientOrderIdOf))) {
		const exists = service.orders().some(({ clientOrderId }) => isUnder(name)({ client_order_id: clientOrderId }));
		void host.resolve(name, true).then(
			({ outcome }) =>
				outcome === (exists ? 'accepted' : 'not_found') || record.violate(`resolving ${name} says ${String(outcome)}`),
			(error: Error) => {
				// A service with incomplete lists gives no certainty, and the client reports that.
				if (isExchangeError(error, 'limit_reached') && hasGaps(weather.dialect)) return;
				record.violate(`resolving ${name} fails: ${error.message}`);
			},
		);
	}
	await time.run(time.now() + QUIET_MS + 60_000);
}

const clientOrderIdOf = ({ sends }: Call): string => {
	const { bytes } = sends[0]!;
	return (JSON.parse(bytes.slice(bytes.indexOf(' '))) as { client_order_id: string }).client_order_id;
};
