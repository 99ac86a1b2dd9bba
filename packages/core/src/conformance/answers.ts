import { operationOf, routeOf, type Field, type OperationId } from '../catalogue';
import { isItem, type Item } from '../wire/payload';
import { levelsOf, named, recordNames, type Level, type RecordKind } from '../wire/records';
import { differs, holds, unclear, type Finding } from './finding';
import { recordsIn, replyText, type Service } from './probe';
import { isSuccess } from '../wire/response';

/** Answers whose fields the interface does not show: whether what people need is found in them under a known name. */
const kinds: Partial<Record<OperationId, RecordKind>> = {
	'fill.list': 'fill',
	'market.ticker': 'ticker',
	'wallet.chains': 'chain',
	'wallet.banks': 'bank',
	'wallet.depositAccount': 'depositAccount',
	'transaction.list': 'transaction',
	'transaction.get': 'transaction',
};
const needed: Partial<Record<OperationId, readonly (readonly string[])[]>> = {
	'order.get': [['id', 'order_id'], ['status'], ['quantity'], ['filled_quantity']],
	'market.list': [
		['pair_id', 'id', 'symbol', 'pair'],
		['status', 'state', 'trading', 'enabled', 'active'],
	],
};
const PASSED_ON = 'The answer is passed on untouched; tell us its fields so that they get names';

/** A read operation; the others are verified by a write. */
export async function checkAnswer(service: Service, id: OperationId): Promise<Finding | undefined> {
	const operation = operationOf(id);
	if (operation.outputNotShown === undefined || !routeOf(operation)?.startsWith('GET ')) return undefined;
	const missing = missingFact(service, id);
	if (missing) return unclear(id, `no ${missing} to ask for`, 'Run the check again once there is one');
	const reply = await service.ask(id, { fields: fieldsOf(service, id) });
	if (!isSuccess(reply))
		return unclear(id, replyText(reply), 'Check that the key may read this, and run the check again');
	const records = recordsIn(id, reply);
	const record = records[0] ?? (isItem(reply.data) && !operation.list ? reply.data : undefined);
	if (!record) return unclear(id, 'no record to look at', 'Run the check again once there is one');
	return verdictOf(id, inner(record), reply.data);
}

function missingFact({ facts }: Service, id: OperationId): string | undefined {
	const route = routeOf(operationOf(id)) ?? '';
	if (route.includes('{order_id}') && !facts.orderId) return 'order';
	if (route.includes('{transaction_id}') && !facts.transactionId) return 'transaction';
	return facts.pairId === undefined && 'pair_id' in operationOf(id).input ? 'pair' : undefined;
}

function fieldsOf({ facts }: Service, id: OperationId): Record<string, string> {
	const { input } = operationOf(id);
	const pair: Field | undefined = input.pair_id;
	const inQuery = pair && !pair.optional && !routeOf(operationOf(id))?.includes('{pair_id}');
	return inQuery ? { pair_id: facts.pairId ?? '' } : {};
}

/** A record that the answer holds in a field of its own, such as `order`. */
function inner(record: Item): Item {
	const values = Object.values(record);
	return values.length === 1 && isItem(values[0]) ? values[0] : record;
}

function verdictOf(id: OperationId, record: Item, data: unknown): Finding {
	const kind = kinds[id];
	const absent = kind
		? absentOf(kind, record)
		: (needed[id] ?? []).filter((names) => !names.some((name) => name in record)).map(([name]) => name ?? '');
	if (id === 'market.depth') return levelsFinding(id, data);
	if (absent.length === 0) return holds(id, `has ${Object.keys(record).slice(0, 12).join(', ')}`);
	return differs(id, `no ${absent.join(', ')} among ${Object.keys(record).slice(0, 20).join(', ')}`, PASSED_ON);
}

function absentOf(kind: RecordKind, record: Item): string[] {
	const fields = named(kind, record);
	return Object.keys(recordNames[kind]).filter((name) => !(name in fields));
}

/** What can be read of a side; a level that cannot is for the finding to tell. */
export function levelsShown(book: unknown, side: 'bids' | 'asks'): Level[] {
	try {
		return levelsOf(book, side);
	} catch {
		return [];
	}
}

const levelsFinding = (id: OperationId, data: unknown): Finding =>
	levelsShown(data, 'bids').length + levelsShown(data, 'asks').length > 0 ||
	(isItem(data) && Array.isArray(data.levels))
		? holds(id, 'has levels')
		: differs(id, 'no levels with price and quantity', PASSED_ON);
