import { operationOf, routeOf, type Field, type OperationId } from '../catalogue';
import { compare } from '../decimal';
import { isItem, textOf, type Item } from '../wire/payload';
import { levelsShown } from './answers';
import { differs, holds, unclear, type Finding } from './finding';
import { recordsIn, replyText, type ProbeOptions, type Reply, type Service } from './probe';
import { isSuccess } from '../wire/response';

/**
 * Names of filters and paging the interface does not show: each is tried with the name of this client first, then with
 * others in use.
 */
const candidates: Readonly<Record<string, readonly string[]>> = {
	limit: ['limit', 'page_size', 'per_page', 'pageSize', 'size', 'count', 'take'],
	offset: ['offset', 'skip', 'start'],
	status: ['status', 'state', 'order_status'],
	pair_id: ['pair_id', 'pair', 'symbol', 'market', 'market_id'],
	order_id: ['order_id', 'orderId', 'order'],
	currency: ['currency', 'currency_code', 'asset', 'wallet'],
	rail: ['rail', 'settlement_rail', 'network', 'type'],
	side: ['side', 'book_side', 'type'],
};
const UNKNOWN_NAME = 'a_name_nobody_knows';
const UNKNOWN_VALUE = 'none_such';
const ENTER = 'Enter this name in Wire Names of the account (names)';
const LOOK_UP = 'Look the name up with the provider and enter it in Wire Names of the account (names)';
const REFILTERED = 'answers are filtered again, so nothing wrong comes out';

/** Every input of a reading operation whose name is assumed. */
export async function checkInputs(service: Service, id: OperationId): Promise<Finding[]> {
	const operation = operationOf(id);
	const assumed = Object.entries<Field>(operation.input).filter(([, { assumed }]) => assumed !== undefined);
	if (!routeOf(operation)?.startsWith('GET ')) return [];
	const findings: Finding[] = [];
	for (const [name, field] of assumed) findings.push(await checkInput(service, id, name, field));
	return findings;
}

async function checkInput(service: Service, id: OperationId, name: string, field: Field): Promise<Finding> {
	const about = `${id}.${name}`;
	const plain = await ask(service, id, {});
	if (!isSuccess(plain))
		return unclear(about, `${replyText(plain)}`, 'Check that the key may read this, and run the check again');
	if (name === 'side') return checkSide(service, id, about);
	const records = recordsIn(id, plain);
	if (records.length < (name === 'limit' || name === 'offset' ? 2 : 1))
		return unclear(
			about,
			`too few records to tell from (${records.length})`,
			'Run the check again once there are more records',
		);
	for (const candidate of candidates[name] ?? [name]) {
		const reply = await ask(service, id, { [candidate]: probeOf(name, field, records) });
		if (!(await works(service, id, name, { reply, records }))) continue;
		if (candidate === name) return holds(about, effectOf(name, reply, id));
		return differs(about, `the service calls it ${candidate}`, ENTER, candidate);
	}
	return differs(
		about,
		`none of ${(candidates[name] ?? [name]).join(', ')} has an effect`,
		`${LOOK_UP}; ${REFILTERED}`,
	);
}

const effectOf = (name: string, reply: Reply, id: OperationId): string =>
	name === 'limit' || name === 'offset'
		? 'pages as asked'
		: isSuccess(reply)
			? `filters: ${recordsIn(id, reply).length} left`
			: 'refuses a value it does not know';

const ask = (service: Service, id: OperationId, fields: ProbeOptions['fields']): Promise<Reply> =>
	service.ask(id, { fields: { ...requiredOf(service, id), ...fields } });

/** Inputs an operation cannot be asked without. */
function requiredOf({ facts }: Service, id: OperationId): Record<string, string> {
	const required: Record<string, string> = {};
	for (const [name, field] of Object.entries<Field>(operationOf(id).input)) {
		if (field.optional || field.assumed !== undefined || routeOf(operationOf(id))?.includes(`{${name}}`)) continue;
		required[name] = name === 'pair_id' ? (facts.pairId ?? '') : String(field.values?.[0] ?? field.example ?? '');
	}
	return required;
}

/** A value that must change the answer: the smallest page, the second record, or a value no record has. */
function probeOf(name: string, { values }: Field, records: readonly Item[]): string {
	if (name === 'limit' || name === 'offset') return '1';
	const used = new Set(records.map((record) => textOf(record, name)));
	return String(values?.find((value) => !used.has(String(value))) ?? UNKNOWN_VALUE);
}

/** Whether a name was heeded, by the reply to it and the records without it. */
async function works(
	service: Service,
	id: OperationId,
	name: string,
	{ reply, records }: { reply: Reply; records: readonly Item[] },
): Promise<boolean> {
	if (isSuccess(reply)) {
		const listed = recordsIn(id, reply);
		if (name === 'limit') return listed.length === 1;
		const asText = (record: Item | undefined) => JSON.stringify(record);
		if (name === 'offset') return listed.length > 0 && asText(listed[0]) === asText(records[1]);
		return listed.length === 0;
	}
	// A service that refuses every name it does not know says nothing by refusing this one.
	if (reply.status < 400 || reply.status >= 500 || reply.status === 429 || name === 'limit' || name === 'offset')
		return false;
	return isSuccess(await ask(service, id, { [UNKNOWN_NAME]: UNKNOWN_VALUE }));
}

const SIDE_TRIES = 3;

async function checkSide(service: Service, id: OperationId, about: string): Promise<Finding> {
	for (const candidate of candidates.side ?? []) {
		// The market may move between two answers, so that sides overlap. Two answers of the same side always do.
		for (let tries = 1; tries <= SIDE_TRIES; tries += 1) {
			const [buy, sell] = [
				await ask(service, id, { [candidate]: 'buy' }),
				await ask(service, id, { [candidate]: 'sell' }),
			];
			if (!isSuccess(buy) || !isSuccess(sell)) break;
			const [bids, asks] = [pricesIn(buy.data), pricesIn(sell.data)];
			if (bids.length === 0 && asks.length === 0)
				return unclear(about, 'the book is empty', 'Run the check again while the market trades');
			if (!areApart(bids, asks)) continue;
			if (candidate === 'side') return holds(about, 'each side answers its own levels');
			return differs(about, `the service calls it ${candidate}`, ENTER, candidate);
		}
	}
	return differs(about, 'both sides answer the same', LOOK_UP);
}

/** The prices of a book's side, the lowest first. */
const pricesIn = (data: unknown): string[] =>
	levelsShown(isItem(data) ? (data.levels ?? data) : (data ?? []), 'asks').map(({ price }) => price);

/** Sides do not overlap. Two answers of the same side do, also while the market moves between them. */
function areApart(first: string[], other: string[]): boolean {
	const isBelow = (lower: string[], upper: string[]): boolean =>
		lower.every((price) => upper.every((higher) => compare(price, higher) < 0));
	return isBelow(first, other) || isBelow(other, first);
}
