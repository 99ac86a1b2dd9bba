import type { Item } from '@partner-exchange/core';
import { orderPolicy } from '@partner-exchange/core/testing';
import type { Order } from '../../../packages/sandbox/src/engine/order';
import { PLACED_AGE_MS_MAX } from '../../../packages/core/src/orders/limits/placed-count';
import { LOOK_MS_MAX } from '../../../packages/core/src/orders/log/order-list';
import { RETRY_AFTER_MS_MAX } from '../../../packages/core/src/wire/rate-limiter';
import { isUnder } from '../../../packages/core/src/orders/log/evidence';
import type { Call, Claim, Record, Sent, Settled } from './record';
import { WAIT_S_MAX } from './terms';
import type { Weather } from './weather';

/** A list may show a replacement this much later than other orders. */
const LIST_LATE_MS = 5_000;

/** The process number of the second process, which has no journal. */
export const OTHER_LIFE = 1_001;
export const FRESH_LIFE = 2_001;
/** One of the three, however often it was started again. */
const processOf = ({ life }: { life: number }): number => Math.floor(life / 1_000);
const SENDS_MAX = 6;
/** The longest duration of a last lookup. */
const LOOKUP_MS_MAX = 15_000;
/**
 * Lookups of one call: in quick succession for 15 seconds after each attempt, then every 8 to 16 seconds, over all
 * statuses.
 */
const READS_MAX = SENDS_MAX * 40;
/** Lookups after a call: twice a minute for half an hour, each over the list and every status, several pages each. */
const READS_AFTER_MAX = 60 * 8 * 4;
const { deadlineMs, conclusiveMs, lateArrivalMs } = orderPolicy();
const REQUEST_MS_MAX = 30_000;
const READING_MS_MAX = 10_000;
/** How much longer a look may take, and how many more pages it may read, where the list is long. */
const longerMs = ({ dialect }: Weather): number => (dialect.others ? LOOK_MS_MAX : 0);
const pagesOf = ({ dialect: { others } }: Weather): number =>
	others ? Math.ceil(others.rows.length / others.pageRows) : 0;
/** The deadline, a request in flight at that time, a lookup late enough to prove a refusal, and its duration. */
const CALL_MS_MAX = deadlineMs + REQUEST_MS_MAX + conclusiveMs + READING_MS_MAX;
/** A resolution may wait until no request can arrive any more, and as long as the service asks for. */
const RESOLUTION_MS_MAX = CALL_MS_MAX + lateArrivalMs + conclusiveMs + 6 * RETRY_AFTER_MS_MAX;
/** A wait for its end begins when the order is known to exist, and ends with a read. */
const WAIT_MS_MAX = WAIT_S_MAX * 1_000 + REQUEST_MS_MAX;
const callMsMax = ({ intent }: Call, weather: Weather): number =>
	longerMs(weather) + (intent === 'resolution' ? RESOLUTION_MS_MAX : CALL_MS_MAX + WAIT_MS_MAX);

const isPlaced = (claim: Claim | undefined): boolean => claim?.is === 'accepted' || claim?.is === 'ended';

interface Truth {
	record: Record;
	/** The orders of all services. */
	orders: readonly Order[];
	ordersAt(address: string): readonly Order[];
	keepsJournal: boolean;
	/** The generations of the process that crashed. */
	lastLife: number;
	now: number;
	weather: Weather;
}

const textOf = (amount: bigint): string => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
const subjectOf = ({ quantity, price, type }: Order): string =>
	`${textOf(quantity)}@${type === 'market' || price === null ? 'market' : textOf(price)}`;

/** Compares the client's results with the truth at the end of the run. */
export function judge(truth: Truth): void {
	const intents = new Map<string, Call[]>();
	for (const call of truth.record.calls) intents.set(call.intent, [...(intents.get(call.intent) ?? []), call]);
	for (const calls of intents.values()) judgeIntent(truth, calls);
	for (const call of truth.record.calls) judgeCall(truth, call);
	for (const settled of truth.record.settled) judgeSettled(truth, settled);
	for (const denied of truth.record.denied) judgeDenied(truth, denied);
	judgeLimits(truth);
}

/** What Resolve Order denies does not exist, and nothing that was sent before may still arrive. */
function judgeDenied({ record, orders }: Truth, { name, at }: Record['denied'][number]): void {
	const sends = record.calls.flatMap((call) => call.sends).filter((sent) => sent.at <= at);
	const made = new Set(sends.flatMap((sent) => sent.made));
	const exists = orders.some(
		({ id, clientOrderId }) => made.has(id) && isUnder(name)({ client_order_id: clientOrderId }),
	);
	if (exists) record.violate(`${name} was denied and exists`);
}

/** How much older than its admission an order may be that the limits did not see. */
const UNSEEN_MS = PLACED_AGE_MS_MAX + LIST_LATE_MS;

/** An account places no more than it may, but for what no list showed yet, and nothing once it is stopped. */
function judgeLimits({ record, ordersAt, weather }: Truth): void {
	const { ordersPerDay, valuePerDay, stopsAt, listLagMs } = weather;
	for (const call of record.calls) {
		if (stopsAt !== undefined && call.kind !== 'cancel' && call.sends.some(({ at }) => at > stopsAt))
			record.violate(`call ${call.number} was sent past the stop switch`);
		const made = call.sends.flatMap((sent) => sent.made);
		if ((ordersPerDay === undefined && valuePerDay === undefined) || made.length === 0) continue;
		// An order that its process sent before under the same name is admitted already.
		const isAlike = (other: Call): boolean =>
			other.intent === call.intent && other.life === call.life && other.subject === call.subject;
		const requestCount = Math.min(...record.calls.filter(isAlike).map(({ startedAt }) => startedAt));
		const orders = ordersAt(call.address);
		const rows = orders.filter(
			({ id, createdAt }) => createdAt < requestCount - UNSEEN_MS - listLagMs && !made.includes(id),
		);
		if (ordersPerDay !== undefined && rows.length >= ordersPerDay)
			record.violate(`call ${call.number} passed the limit of ${ordersPerDay} a day`);
		const worth = [...rows, ...orders.filter(({ id }) => made.includes(id))].map(leastValueOf);
		if (valuePerDay !== undefined && worth.reduce((sum, value) => sum + value, 0n) > BigInt(valuePerDay))
			record.violate(`call ${call.number} passed the limit of ${valuePerDay} in value a day`);
	}
}

/** What a limit order is worth, in whole units; a market order may have been worth less when it was sent. */
const leastValueOf = ({ type, quantity, price }: Order): bigint =>
	type === 'market' || price === null ? 0n : (quantity * price) / 10_000n;

/** At each address the same name is an intent of its own. */
function judgeIntent(truth: Truth, calls: readonly Call[]): void {
	for (const address of new Set(calls.map((call) => call.address)))
		judgeIntentAt(
			{ record: truth.record, orders: truth.ordersAt(address) },
			calls.filter((call) => call.address === address),
		);
}

function judgeIntentAt({ record, orders }: Pick<Truth, 'record' | 'orders'>, calls: readonly Call[]): void {
	const subjects = new Set(calls.map(({ subject }) => subject));
	const [first] = calls;
	const made = new Set(calls.flatMap(({ sends }) => sends.flatMap((sent) => sent.made)));
	if (made.size > 1) record.violate(`${first!.intent} made ${made.size} orders`);
	if (
		first!.kind === 'create' &&
		orders.filter((order) => subjects.has(subjectOf(order)) && !order.replaces).length > 1
	) {
		record.violate(`${first!.intent} has more than one order`);
	}
	for (const subject of subjects) {
		// What carries a business key shows it in its name, and what does not has none to show.
		const forms = [true, false].map((business) => {
			const alike = calls.filter((call) => call.subject === subject && call.business === business);
			return new Set(alike.flatMap(({ sends }) => sends.map((sent) => sent.bytes)));
		});
		if (forms.some(({ size }) => size > 1) && !first!.isToolCall && !first!.isTraced)
			record.violate(`${first!.intent} was sent in different forms`);
	}
}

function judgeCall(truth: Truth, call: Call): void {
	const { record, lastLife, now } = truth;
	const { claim } = call;
	if (call.sends.length > SENDS_MAX) record.violate(`call ${call.number} sent ${call.sends.length} times`);
	const pages = pagesOf(truth.weather);
	if (call.reads > READS_MAX * (1 + pages)) record.violate(`call ${call.number} read ${call.reads} times`);
	// One call's read of the list serves all of a crowd.
	if (call.readsAfter > READS_AFTER_MAX * (truth.weather.crowd ? 2 : 1) * (1 + pages))
		record.violate(`call ${call.number} read ${call.readsAfter} times after it`);
	if (call.isForbidden && call.sends.length > 0)
		record.violate(`call ${call.number} was sent past a guard of its node`);
	if (call.declined) {
		if (call.sends.length > 0) record.violate(`call ${call.number} was declined by its host and sent something`);
		return;
	}
	if (!claim) {
		if (call.life === lastLife && now - call.startedAt > callMsMax(call, truth.weather))
			record.violate(`call ${call.number} never ended`);
		return;
	}
	if (claim.at - call.startedAt > callMsMax(call, truth.weather))
		record.violate(`call ${call.number} took ${(claim.at - call.startedAt) / 1000} s`);
	if (claim.text.includes('CANARY')) record.violate(`call ${call.number} shows the key`);
	if (isPlaced(claim) && claim.item) judgeAccepted(truth, call, claim.item);
	if (claim.is === 'refused' || claim.is === 'stopped') judgeRefused(truth, call, claim.order);
}

/**
 * Resolutions after a call are true: what is reported as executed exists, and what is reported as not executed never
 * exists.
 */
function judgeSettled(truth: Truth, settled: Settled): void {
	const { record, orders, weather } = truth;
	const { is, item, kind, subject } = settled;
	if (is === 'accepted' && item) judgeAccepted(truth, { ...settled, number: `settled ${subject}` }, item);
	if (is !== 'refused') return;
	const all = record.calls.filter((call) => call.subject === subject && call.kind === kind);
	const here = all.filter(({ address }) => address === settled.address);
	// What nobody asked for at this address was left open by another account.
	const alike = here.length > 0 ? here : all;
	// What another process places while the lists are read is shown by none of them.
	const shownBy = settled.at - weather.listLagMs - LOOKUP_MS_MAX;
	const isSeen = (call: Call, { order, madeAt = 0 }: Sent): boolean =>
		processOf(call) === processOf(settled) ? order <= settled.order : madeAt < shownBy;
	const made = alike.flatMap((call) => call.sends.filter((sent) => isSeen(call, sent)).flatMap((sent) => sent.made));
	if (orders.some(({ id, status, replaces }) => made.includes(id) && !(replaces && status === 'rejected')))
		record.violate(`${kind} ${subject} was settled as never done and exists`);
}

/**
 * A refused request does not exist, now or later, unless a run after the refusal placed it. It covers runs of an
 * earlier process if the client knew of them: from its host, or from a journal that still has them open.
 */
function judgeRefused({ record, orders, keepsJournal, weather }: Truth, call: Call, order: number): void {
	// An order of another account is denied by nobody who was in doubt about it before.
	const isInDoubt = ({ claim, life }: Call): boolean =>
		claim ? claim.is === 'unknown' && claim.at <= call.startedAt : life < call.life;
	const all = record.calls.filter((other) => other.subject === call.subject && other.kind === call.kind);
	const settled = record.settled.filter(
		(other) =>
			other.kind === call.kind && other.subject === call.subject && other.order < order && other.is !== 'unknown',
	);
	const isDone = [
		...all.filter(({ claim }) => claim && claim.order < order && claim.is !== 'unknown'),
		...settled,
	].some(({ address }) => address !== call.address);
	const alike = all.filter((other) => other.address === call.address || (!isDone && keepsJournal && isInDoubt(other)));
	// A client that could not read the journal only states that it sent nothing itself.
	if (call.claim!.text.includes('The journal of open orders cannot be read')) {
		if (call.sends.length > 0) record.violate(`call ${call.number} says that it sent nothing, and sent it`);
		return;
	}
	const open =
		keepsJournal && !alike.some(({ claim, life }) => isPlaced(claim) && claim!.order < order && life < call.life);
	const reports = alike.filter(
		({ life }) => life === call.life || call.repeated || (open && life < call.life && call.life < OTHER_LIFE),
	);
	const made = reports
		.filter((report) => !isBelieved(report, weather))
		.flatMap(({ sends }) => sends.filter((sent) => sent.order <= order).flatMap((sent) => sent.made));
	const living = orders.filter(({ id, status, replaces }) => made.includes(id) && !(replaces && status === 'rejected'));
	judgeShared({ record, listLagMs: weather.listLagMs }, call, alike);
	if (living.length > 0)
		record.violate(`call ${call.number} was called ${call.claim!.is} (${call.claim!.code ?? ''}) and exists`);
}

/** A proxy that forwards an order, and answers it and whatever is read after it with 429, is believed. */
const isBelieved = ({ heard }: Call, { actsFirst }: Weather): boolean =>
	actsFirst && heard.size === 1 && heard.has(429);

/** Orders that other processes placed under the same business key are found before a refusal, once lists show them. */
function judgeShared(
	{ record, listLagMs }: Pick<Truth, 'record'> & Pick<Weather, 'listLagMs'>,
	call: Call,
	alike: readonly Call[],
): void {
	const isAboutOrder = ['unauthorized', 'forbidden', 'rate_limited', 'refused'].includes(call.claim!.code ?? '');
	// A client that could not look only states that it sent nothing itself.
	if (!call.business || !isAboutOrder || call.claim!.text.includes('this run sent nothing')) return;
	const shownBy = call.claim!.at - listLagMs - LOOKUP_MS_MAX;
	const placed = alike.flatMap(({ sends }) => sends).some(({ madeAt }) => madeAt !== undefined && madeAt < shownBy);
	if (placed) record.violate(`call ${call.number} was called refused and another process had placed it`);
}

function judgeAccepted(
	{ record, orders }: Truth,
	call: { number: number | string; kind: Call['kind']; subject: string },
	item: Item,
): void {
	const id = String(item.new_order_id ?? item.order_id);
	const order = orders.find((order) => order.id === id);
	if (!order) return record.violate(`call ${call.number} was called accepted and does not exist`);
	if (['cancelling', 'replacing'].includes(String(item.status)))
		record.violate(`call ${call.number} shows an acknowledgement as a status`);
	if (call.kind === 'cancel') {
		if (['pending', 'accepted', 'partially_filled'].includes(order.status))
			record.violate(`call ${call.number} cancelled an order that is still open`);
	} else if (subjectOf(order) !== call.subject) {
		record.violate(`call ${call.number} was called accepted and asks for something else`);
	}
	if (call.kind === 'replace' && order.replaces !== item.original_order_id)
		record.violate(`call ${call.number} names a replacement that replaces something else`);
}
