import type { Item } from '@partner-exchange/core';
import type { Order } from '../../../packages/sandbox/src/engine/state';
import type { Call, Record } from './record';

const SENDS_MAX = 6;
const READS_MAX = 200;
/** The deadline of an intent, a request under way when it passes, and the reading that follows. */
const CALL_MS_MAX = 175_000;

interface Truth {
	record: Record;
	orders: readonly Order[];
	keepsJournal: boolean;
	/** Lives of the process that died. */
	lastLife: number;
	now: number;
}

const textOf = (amount: bigint): string => `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
const subjectOf = ({ quantity, price, type }: Order): string =>
	`${textOf(quantity)}@${type === 'market' || price === null ? 'market' : textOf(price)}`;

/** Holds what the client said against what is true at the end of time. */
export function judge(truth: Truth): void {
	const intents = new Map<string, Call[]>();
	for (const call of truth.record.calls) intents.set(call.intent, [...(intents.get(call.intent) ?? []), call]);
	for (const calls of intents.values()) judgeIntent(truth, calls);
	for (const call of truth.record.calls) judgeCall(truth, call);
}

function judgeIntent({ record, orders }: Truth, calls: readonly Call[]): void {
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
		const bytes = new Set(
			calls.filter((call) => call.subject === subject).flatMap(({ sends }) => sends.map((sent) => sent.bytes)),
		);
		if (bytes.size > 1) record.violate(`${first!.intent} was sent in ${bytes.size} different forms`);
	}
}

function judgeCall(truth: Truth, call: Call): void {
	const { record, lastLife, now } = truth;
	const { claim } = call;
	if (call.sends.length > SENDS_MAX) record.violate(`call ${call.number} sent ${call.sends.length} times`);
	if (call.reads > READS_MAX) record.violate(`call ${call.number} read ${call.reads} times`);
	if (!claim) {
		if (call.life === lastLife && now - call.startedAt > CALL_MS_MAX) record.violate(`call ${call.number} never ended`);
		return;
	}
	if (claim.at - call.startedAt > CALL_MS_MAX)
		record.violate(`call ${call.number} took ${(claim.at - call.startedAt) / 1000} s`);
	if (claim.text.includes('CANARY')) record.violate(`call ${call.number} shows the key`);
	if (claim.is === 'accepted' && claim.item) judgeAccepted(truth, call, claim.item);
	if (claim.is === 'refused' || claim.is === 'stopped') judgeRefused(truth, call, claim.order);
}

/**
 * What is refused does not exist, now or later, unless a run after the refusal placed it. Of an earlier life's runs it
 * speaks when it was told of them: by its host, or by a journal that still holds them as open.
 */
function judgeRefused({ record, orders, keepsJournal }: Truth, call: Call, order: number): void {
	const alike = record.calls.filter((other) => other.subject === call.subject && other.kind === call.kind);
	const open =
		keepsJournal &&
		!alike.some(({ claim, life }) => claim?.is === 'accepted' && claim.order < order && life < call.life);
	const told = alike.filter(({ life }) => life === call.life || call.repeated || open);
	const made = told.flatMap(({ sends }) => sends.filter((sent) => sent.order <= order).flatMap((sent) => sent.made));
	const living = orders.filter(({ id, status, replaces }) => made.includes(id) && !(replaces && status === 'rejected'));
	if (living.length > 0)
		record.violate(`call ${call.number} was called ${call.claim!.is} (${call.claim!.code ?? ''}) and exists`);
}

function judgeAccepted({ record, orders }: Truth, call: Call, item: Item): void {
	const id = String(item.new_order_id ?? item.order_id);
	const order = orders.find((one) => one.id === id);
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
