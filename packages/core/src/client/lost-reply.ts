import { operationOf, type Operation, type OperationId } from '../catalogue';
import { ExchangeError, isExchangeError } from '../errors';
import { sleep, type Ports } from '../ports';
import type { CallContext, Read } from '../context';
import type { Attempt } from '../wire/exchange';
import type { Accepted } from '../wire/request';
import { identityOf, itemsIn, textOf, type Item } from '../wire/payload';

/** A write whose reply was lost may show a little later, so the list is read this often. */
const READS_MAX = 3;
const READ_EVERY_MS = 1_000;

/** What decides about a write when its reply alone does not. */
export interface Trial {
	operation: Operation;
	accepted: Accepted;
	context: CallContext;
	read: Read;
	ports: Ports;
}

/** What a write came to: its answer, the same found by reading, or an error that claims no more than is known. */
export async function settleWrite(attempt: Attempt, trial: Trial): Promise<unknown> {
	const { operation, accepted } = trial;
	const [id] = Object.values(accepted);
	if ('data' in attempt.reading) return operation.deletes ? { deleted: true, id } : attempt.reading.data;
	const { error } = attempt.reading;
	if (operation.deletes) {
		if (['not_found', 'refused'].includes(error.code) && (await isGone(String(id), trial)))
			return { deleted: true, id, already_gone: true };
		throw error;
	}
	if (attempt.proof !== 'unknown' || operation.repeatable) throw error;
	const found = operation.comparesWith ? await findAfterwards(trial) : undefined;
	if (found) return found;
	throw uncertain(operation, error);
}

/** Only a list that could be read and does not hold the record proves that it is gone. */
async function isGone(id: string, { operation, context, read }: Trial): Promise<boolean> {
	const list = operation.comparesWith!.list as OperationId;
	const entry = operationOf(list);
	try {
		return !itemsIn(await read(list, {}, context), entry.list!.at).some((item) => identityOf(item, entry) === id);
	} catch {
		return false;
	}
}

async function findAfterwards({ operation, accepted, context, read, ports }: Trial): Promise<Item | undefined> {
	const { list, fields } = operation.comparesWith!;
	const at = operationOf(list as OperationId).list!.at;
	const compared = fields.filter((name) => accepted[name] !== undefined);
	for (let reads = 1; reads <= READS_MAX && !context.signal?.aborted; reads += 1) {
		const items = await read(list as OperationId, {}, context).then((data) => itemsIn(data, at), ignoreFailure);
		const found = items.find((item) => compared.every((name) => textOf(item, name) === String(accepted[name])));
		if (found) {
			context.warn?.({
				kind: 'recovered',
				text: `The reply of ${operation.label} was lost; the list shows that it was done`,
			});
			return found;
		}
		if (reads < READS_MAX) await sleep(ports.clock, READ_EVERY_MS, context.signal);
	}
	return undefined;
}

/** A list that cannot be read proves nothing, so it is as if it had not shown the record. */
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
		advice: operation.comparesWith
			? 'The list does not show it yet; look at it again before you send this once more'
			: 'Read the records it should have changed before you send this once more',
		details: { cause: error.code },
	});
}
