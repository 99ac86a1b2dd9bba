import { nameParts, operationOf, type Operation, type OperationId, type Retry } from '../catalogue';
import { ExchangeError, factsIn, isExchangeError, retold } from '../errors';
import { sleep, type Ports } from '../ports';
import type { CallContext, Read } from '../context';
import type { Attempt } from '../wire/exchange';
import type { Accepted } from '../wire/request';
import { filledText, firstOf, identityOf, isItem, isSameId, itemsIn, textOf, type Item } from '../wire/payload';

/** How often the list is read: a record may appear in it some time after its write. */
const READS_MAX = 3;
const READ_EVERY_MS = 1_000;

/** What `resolveWrite` needs to decide a write whose reply was lost. */
export interface Trial {
	operation: Operation;
	accepted: Accepted;
	context: CallContext;
	read: Read;
	ports: Ports;
}

/** The result of a write: its reply, the same record found in a list, or an error that says what is unknown. */
export async function resolveWrite(attempt: Attempt, trial: Trial): Promise<unknown> {
	const { operation, accepted } = trial;
	const [id] = Object.values(accepted);
	const retry = retryOf(operation);
	const deletedFrom = typeof retry === 'object' && 'deletedFrom' in retry ? retry.deletedFrom : undefined;
	if ('data' in attempt.response && deletedFrom) return { deleted: true, id };
	if ('data' in attempt.response && showsRecord(attempt.response.data, trial)) return attempt.response.data;
	const { error } = 'data' in attempt.response ? { error: showsNoRecord(operation) } : attempt.response;
	if (deletedFrom) {
		if (['not_found', 'refused'].includes(error.code) && (await isGone(String(id), deletedFrom, trial)))
			return { deleted: true, id, already_gone: true };
		throw error;
	}
	if ('error' in attempt.response && (attempt.proof !== 'unknown' || retry === 'safe'))
		throw await withRecord(error, trial);
	const result = await findAfterwards(trial);
	if (result) return result;
	throw uncertain(operation, error);
}

const retryOf = ({ run }: Operation): Retry => (run.via === 'rest' ? run.retry : 'never');

function verifiedBy(operation: Operation): { list: string; fields: readonly string[] } | undefined {
	const retry = retryOf(operation);
	return typeof retry === 'object' && 'verifyBy' in retry ? retry.verifyBy : undefined;
}

/**
 * Whether an answer shows the record that was to be written. An answer without an identifier, or with other values,
 * proves no more than a lost reply, so the list decides. Where no list does, any answer is taken.
 */
function showsRecord(data: unknown, { operation, accepted }: Trial): boolean {
	const listed = verifiedBy(operation);
	if (!listed) return true;
	const parts = [data, ...(isItem(data) ? Object.values(data) : [])].filter(isItem);
	const { identifiedByFirstOf } = operationOf(listed.list as OperationId).list!;
	return parts.some(
		(part) =>
			firstOf(part, identifiedByFirstOf) !== undefined &&
			listed.fields.every((name) => [undefined, String(accepted[name])].includes(filledText(part[name]))),
	);
}

const showsNoRecord = ({ label }: Operation): ExchangeError =>
	new ExchangeError('malformed_response', { operation: label, what: 'The answer does not show the record' });

/**
 * Only a list that was read and lacks the record, in any spelling of its ID, proves that the record was deleted; and only
 * after a while, because a record that was just saved may be too new for both.
 */
async function isGone(id: string, list: string, { context, read, ports }: Trial): Promise<boolean> {
	const entry = operationOf(list as OperationId);
	const lacksIt = async (): Promise<boolean> =>
		!itemsIn(await read(list as OperationId, {}, context), entry.list!.at).some((item) =>
			isSameId(identityOf(item, entry), id),
		);
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
async function withRecord(error: ExchangeError, { operation, accepted, context, read }: Trial): Promise<ExchangeError> {
	const listed = verifiedBy(operation);
	if (!listed || !['conflict', 'refused'].includes(error.code)) return error;
	const list = listed.list as OperationId;
	const entry = operationOf(list);
	const rows = await read(list, {}, context).then((data) => itemsIn(data, entry.list!.at), ignoreFailure);
	const names = listed.fields.filter((name) => accepted[name] !== undefined);
	const row = rows.find((item) => names.every((name) => textOf(item, name) === String(accepted[name])));
	if (!row) return error;
	const facts = factsIn(error);
	const [{ resource }, id] = [nameParts(list), identityOf(row, entry)];
	const saved = `The ${resource} ${textOf(row, 'label') ?? ''} (${id}) has these details already`;
	// A refusal that is no conflict may have another reason, which comes first.
	const savedAlready =
		error.code === 'conflict' ? { what: `${facts.what}. ${saved}` } : { advice: `${error.advice}. ${saved}` };
	return retold(error, {
		...facts,
		...savedAlready,
		details: { ...facts.details, [`${resource}_id`]: id },
	});
}

async function findAfterwards({ operation, accepted, context, read, ports }: Trial): Promise<Item | undefined> {
	const listed = verifiedBy(operation);
	if (!listed) return undefined;
	const { list, fields } = listed;
	const at = operationOf(list as OperationId).list!.at;
	const names = fields.filter((name) => accepted[name] !== undefined);
	// The same account under another label or holder is a record of an earlier write.
	const isIt = (item: Item): boolean =>
		Object.entries(accepted).every(
			([name, value]) => (!names.includes(name) && item[name] === undefined) || textOf(item, name) === String(value),
		);
	for (let reads = 1; reads <= READS_MAX && !context.signal?.aborted; reads += 1) {
		const items = await read(list as OperationId, {}, context).then((data) => itemsIn(data, at), ignoreFailure);
		const row = items.find(isIt);
		if (row) {
			context.warn?.({
				kind: 'recovered',
				text: `The reply of ${operation.label} was lost; the list shows that it was done`,
			});
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
