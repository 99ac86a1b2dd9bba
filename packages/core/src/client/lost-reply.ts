import { nameParts, operationOf, type Operation, type OperationId, type Retry } from '../catalogue';
import { ExchangeError, factsIn, isExchangeError, retold } from '../errors';
import { sleep, type Ports } from '../ports';
import type { CallContext, Read } from '../context';
import { mayBeMasked, withoutGrouping } from './account-holder';
import type { Attempt } from '../wire/attempt';
import type { Accepted } from '../wire/request';
import { filledText, firstOf, identityOf, isItem, isSameId, itemsIn, textOf, type Item } from '../wire/payload';
import { summaryIn } from '../wire/records';

/** How often the list is read: a record may appear in it some time after its write. */
const READS_MAX = 3;
const READ_EVERY_MS = 1_000;

/** What `resolveWrite` needs to decide a write whose reply was lost. */
export interface LostWrite {
	operation: Operation;
	accepted: Accepted;
	context: CallContext;
	read: Read;
	ports: Ports;
}

/** The result of a write: its reply, the same record found in a list, or an error that says what is unknown. */
export async function resolveWrite(attempt: Attempt, trial: LostWrite): Promise<unknown> {
	const { operation } = trial;
	const retry = retryOf(operation);
	if (typeof retry === 'object' && 'deletedFrom' in retry)
		return resolveDelete(attempt, retry.deletedFrom as OperationId, trial);
	if ('data' in attempt && showsRecord(attempt.data, trial)) return attempt.data;
	if ('error' in attempt && (attempt.proof !== 'unknown' || retry === 'safe'))
		throw await withRecord(attempt.error, trial);
	const found = await findAfterwards(trial);
	if (found) return found;
	throw uncertain(operation, 'error' in attempt ? attempt.error : showsNoRecord(operation));
}

/** A delete is done where its record is gone, whatever the service said. Without a clear answer the list decides. */
async function resolveDelete(attempt: Attempt, list: OperationId, trial: LostWrite): Promise<Item> {
	const [id] = Object.values(trial.accepted);
	if ('data' in attempt) return { deleted: true, id };
	const isAbsent = ['not_found', 'refused'].includes(attempt.error.code);
	if ((isAbsent || attempt.proof === 'unknown') && (await isGone(String(id), list, trial)))
		return { deleted: true, id, ...(isAbsent ? { already_gone: true } : {}) };
	throw attempt.error;
}

const retryOf = ({ run }: Operation): Retry => (run.via === 'rest' ? run.retry : 'never');

/** The list that shows what was written, and the fields in which a row has to equal it. */
function verifiedBy(operation: Operation) {
	const retry = retryOf(operation);
	if (typeof retry !== 'object' || !('verifyBy' in retry)) return undefined;
	return retry.verifyBy as { list: OperationId; fields: readonly string[] };
}

const rowsOf = async (list: OperationId, { context, read }: LostWrite): Promise<Item[]> =>
	itemsIn(await read(list, {}, context), operationOf(list).list!.at);

/**
 * Whether an answer shows the record that was to be written. An answer without an identifier, or with other values,
 * proves no more than a lost reply, so the list decides. Where no list does, any answer is taken.
 */
function showsRecord(data: unknown, { operation, accepted }: LostWrite): boolean {
	const listed = verifiedBy(operation);
	if (!listed) return true;
	const parts = [data, ...(isItem(data) ? Object.values(data) : [])].filter(isItem);
	const { identifiedByFirstOf } = operationOf(listed.list).list!;
	return parts.some(
		(part) =>
			firstOf(part, identifiedByFirstOf) !== undefined &&
			listed.fields.every((name) =>
				mayBeMasked(filledText(part[name]) ?? String(accepted[name]), String(accepted[name])),
			),
	);
}

/** Services write the words and numbers of an account in a spelling of their own. What a person wrote is kept as it is. */
const isSpelledSo = (item: Item, name: string, accepted: Accepted): boolean =>
	withoutGrouping(textOf(item, name) ?? '') === withoutGrouping(String(accepted[name]));

const showsNoRecord = ({ label }: Operation): ExchangeError =>
	new ExchangeError('malformed_response', { operation: label, what: 'The answer does not show the record' });

/**
 * Only a list that was read to its end and lacks the record, in any spelling of its ID, proves that the record was deleted;
 * and only after a while, because a record that was just saved may be too new for both.
 */
async function isGone(id: string, list: OperationId, trial: LostWrite): Promise<boolean> {
	const { context, ports, read } = trial;
	const { at, identifiedByFirstOf } = operationOf(list).list!;
	const mayBeIt = (item: Item): boolean => isSameId(firstOf(item, identifiedByFirstOf) ?? id, id);
	const lacksIt = async (): Promise<boolean> => {
		const data = await read(list, {}, context);
		const [rows, { count, hasMore }] = [itemsIn(data, at), summaryIn(data)];
		return !hasMore && count <= rows.length && !rows.some(mayBeIt);
	};
	try {
		for (let reads = 1; await lacksIt(); reads += 1) {
			if (reads === READS_MAX) return true;
			await sleep(ports.clock, READ_EVERY_MS, context.signal);
			if (context.signal?.aborted) return false;
		}
		return false;
	} catch {
		return false;
	}
}

/** A refusal says which record is saved already with the same details. */
async function withRecord(error: ExchangeError, trial: LostWrite): Promise<ExchangeError> {
	const { operation, accepted } = trial;
	const listed = verifiedBy(operation);
	if (!listed || !['conflict', 'refused'].includes(error.code)) return error;
	const { list, fields } = listed;
	const rows = await rowsOf(list, trial).catch(ignoreFailure);
	const names = fields.filter((name) => accepted[name] !== undefined);
	const row = rows.find((item) => names.every((name) => isSpelledSo(item, name, accepted)));
	if (!row) return error;
	const facts = factsIn(error);
	const [{ resource }, id] = [nameParts(list), identityOf(row, operationOf(list))];
	const saved = `The ${resource} ${textOf(row, 'label') ?? ''} (${id}) has these details already`;
	// A refusal that is no conflict may have another reason, which comes first.
	const savedAlready =
		error.code === 'conflict' ? { what: `${facts.what}. ${saved}` } : { advice: `${error.advice}. ${saved}` };
	return retold(error, { ...facts, ...savedAlready, details: { ...facts.details, [`${resource}_id`]: id } });
}

async function findAfterwards(trial: LostWrite): Promise<Item | undefined> {
	const { operation, accepted, context, ports } = trial;
	const listed = verifiedBy(operation);
	if (!listed) return undefined;
	const { list, fields } = listed;
	const names = fields.filter((name) => accepted[name] !== undefined);
	// The same account under another label or holder is a record of an earlier write.
	const isIt = (item: Item): boolean =>
		Object.entries(accepted).every(([name, value]) =>
			names.includes(name)
				? isSpelledSo(item, name, accepted)
				: item[name] === undefined || textOf(item, name) === String(value),
		);
	for (let reads = 1; reads <= READS_MAX && !context.signal?.aborted; reads += 1) {
		const row = (await rowsOf(list, trial).catch(ignoreFailure)).find(isIt);
		if (row) {
			const text = `The reply of ${operation.label} was lost; the list shows that it was done`;
			context.warn?.({ kind: 'recovered', text });
			return row;
		}
		if (reads < READS_MAX) await sleep(ports.clock, READ_EVERY_MS, context.signal);
	}
	return undefined;
}

/** A list that cannot be read proves nothing and counts as a list without the record. */
const ignoreFailure = (error: unknown): Item[] => {
	if (isExchangeError(error)) return [];
	throw error;
};

function uncertain(operation: Operation, error: ExchangeError): ExchangeError {
	return new ExchangeError('outcome_unknown', {
		operation: operation.label,
		status: error.status,
		what: `The reply was lost, so it is not known whether it was done (${error.code})`,
		serviceMessage: error.serviceMessage,
		advice: verifiedBy(operation)
			? 'The list does not show it yet; look at it again before you send this once more'
			: 'Read the records it should have changed before you send this once more',
		details: { cause: error.code },
	});
}
