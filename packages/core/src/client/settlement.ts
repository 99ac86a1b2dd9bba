import { forgetOldest } from '../bounded';
import { operationOf, options, type Operation, type WaitEnd } from '../catalogue';
import { equal, isDecimal } from '../decimal';
import { ExchangeError, isExchangeError, isOfKey } from '../errors';
import { sleep, type Ports } from '../ports';
import { type CallContext, type Read, waitMsOf } from '../context';
import { rowsIn } from '../wire/each-item';
import { firstOf, firstWithin, identityOf, statusOf, textOf, transactionIn, type Item } from '../wire/payload';

/** How long a deposit may take to appear among the transactions, and how often the list is read meanwhile. */
const READ_BACK_MS = 30_000;
const READ_EVERY_MS = 500;
/** Transactions remembered as those of earlier deposits; the oldest is forgotten first. */
const TAKEN_MAX = 1_000;
const idNames = ['transaction_id', 'id', 'public_id', 'reference'];

/** Identities of the transactions listed before the deposit, so that a new one is recognized. */
type Before = ReadonlySet<string>;

/** A deposit that was sent, beside the transactions that are not its own. */
interface Deposit {
	sent: Readonly<Record<string, unknown>>;
	before: Before;
	taken: Set<string>;
}

const transactionList = operationOf(options.read_back.uses);

/** Reads the transactions listed before the deposit is sent. */
export async function transactionsBefore(context: CallContext, read: Read): Promise<Before> {
	return new Set((await transactions(context, read)).map((item) => identityOf(item, transactionList)));
}

/**
 * The answer of a deposit or a withdrawal together with its transaction, which the caller may wait for the end of: then the
 * state of the transaction is on top, because whoever looks at the status wants to know how it ended. The interface does not
 * show the answer, so the transaction is found by an id in it or, failing that, by being new in the list. (Interface, part
 * 4.)
 */
export async function withTransaction(
	{ label }: Operation,
	answer: Item,
	deps: SettlementDeps & Deposit,
): Promise<Item> {
	const { context, ports, startedAt } = deps;
	const isAwaited = context.options?.wait_settled === true;
	// A caller that waits for the end said how long, and the transaction has to appear within that time.
	const limitMs = isAwaited ? waitMsOf(context) : READ_BACK_MS;
	const { found, problem } = await find(answer, limitMs, deps);
	if (found) {
		const deposit = withState(answer, found);
		if (!isAwaited) return deposit;
		const settled = await untilSettled(firstOf(found, ['id', 'transaction_id']), found, deps);
		return { ...withState(deposit, settled), status: settled.status, wait: settled.wait };
	}
	const why = problem
		? `its transaction could not be looked for: ${problem.summary}`
		: `the transaction did not appear within ${limitMs / 1000} seconds; it may belong to another account or still be on its way`;
	context.warn?.({ kind: 'not_checked', text: `${label}: ${why}` });
	const deposit = { ...answer, transaction: null };
	if (!isAwaited) return deposit;
	return { ...deposit, wait: waitReport(endOf(true, context, problem)!, ports.clock.elapsed() - startedAt, problem) };
}

/** What became of the search for a transaction: the deposit is already done, so a read that fails is repeated. */
async function find(
	answer: Item,
	limitMs: number,
	{ sent, before, taken, context, read, ports, startedAt }: SettlementDeps & Deposit,
): Promise<{ found?: Item; problem?: ExchangeError }> {
	const id = idIn(answer);
	const endsAt = startedAt + limitMs;
	const isNew = (item: Item): boolean => ![before, taken].some((ids) => ids.has(identityOf(item, transactionList)));
	let problem: ExchangeError | undefined;
	while (!endOf(ports.clock.elapsed() >= endsAt, context, problem)) {
		const listed = await tried(transactions(context, read));
		problem = listed.problem;
		const rows = listed.value ?? [];
		const identified = id === undefined ? undefined : rows.find((item) => identityOf(item, transactionList) === id);
		const found = identified ?? rows.find((item) => isNew(item) && isDepositOf(item, sent));
		// A list may lag, so the transaction of an earlier deposit can be new to a later one of the same amount.
		if (found) forgetOldest(taken.add(identityOf(found, transactionList)), TAKEN_MAX);
		if (found) return { found };
		await sleep(ports.clock, Math.min(READ_EVERY_MS, endsAt - ports.clock.elapsed()), context.signal);
	}
	return { problem };
}

const tried = <T>(reading: Promise<T>): Promise<{ value?: T; problem?: ExchangeError }> =>
	reading.then(
		(value) => ({ value }),
		(error: unknown) => {
			if (!isExchangeError(error)) throw error;
			return { problem: error };
		},
	);

const transactions = async (context: CallContext, read: Read): Promise<Item[]> =>
	rowsIn(transactionList, await read(options.read_back.uses, {}, context));

const idIn = (answer: Item): string | undefined => firstWithin(answer, idNames, ['transaction', 'deposit', 'data']);

/** Whether the amount and the currency of a transaction, where shown, are the ones that were sent. */
function isDepositOf(item: Item, sent: Readonly<Record<string, unknown>>): boolean {
	const amount = textOf(item, 'amount');
	const currencies = [textOf(item, 'currency'), textOf(item, 'settlement_rail'), textOf(item, 'asset')].filter(
		(name) => name !== undefined,
	);
	const wanted = sent.asset ?? sent.currency;
	const sameAmount = !isDecimal(amount) || !isDecimal(sent.amount) || equal(amount, sent.amount);
	return sameAmount && (currencies.length === 0 || wanted === undefined || currencies.includes(String(wanted)));
}

/** The first pause is short and later ones grow: a bank takes hours, the sandbox milliseconds. */
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 15_000;
const GROWTH = 1.5;

const { uses } = options.wait_settled;

interface SettlementDeps {
	context: CallContext;
	read: Read;
	ports: Ports;
	/** When the wait began, by the elapsed time of the clock. */
	startedAt: number;
}

/** The transaction was read after the answer, so where both show a field, the transaction is right. */
function withState(answer: Item, transaction: Item): Item {
	const shared = Object.keys(answer).filter((name) => name !== 'transaction' && Object.hasOwn(transaction, name));
	return { ...answer, ...Object.fromEntries(shared.map((name) => [name, transaction[name]])), transaction };
}

/** The latest state of the transaction, and how the wait ended. A read that fails is repeated. */
export async function untilSettled(
	id: unknown,
	known: Item,
	{ context, read, ports, startedAt }: SettlementDeps,
): Promise<Item> {
	const limitMs = waitMsOf(context);
	let latest = transactionIn(known);
	let problem = unlessShown(latest, id);
	let pauseMs = FIRST_PAUSE_MS;
	for (;;) {
		const waitedMs = ports.clock.elapsed() - startedAt;
		const ended = settledAs(statusOf(latest)) ?? endOf(waitedMs >= limitMs, context, problem);
		if (ended) return { ...latest, wait: waitReport(ended, waitedMs, problem) };
		await sleep(ports.clock, Math.min(pauseMs, limitMs - waitedMs), context.signal);
		pauseMs = Math.min(pauseMs * GROWTH, PAUSE_MS_MAX);
		const again = await tried(read(uses, { transaction_id: id }, context));
		const transaction = transactionIn(again.value);
		problem = again.problem ?? unlessShown(transaction, id);
		if (!problem) latest = transaction;
	}
}

const unlessShown = (transaction: Item, id: unknown): ExchangeError | undefined =>
	statusOf(transaction) === undefined
		? new ExchangeError('malformed_response', {
				operation: operationOf(uses).label,
				what: `The answer shows no status of the transaction ${String(id)}`,
			})
		: undefined;

/** Over, and only where it is completed money moved. An unknown status counts as not over; the deadline bounds the wait. */
const settledAs = (status: string | undefined): WaitEnd | undefined =>
	status === 'completed' ? 'reached' : status === 'failed' || status === 'cancelled' ? status : undefined;

const endOf = (isLate: boolean, { signal }: CallContext, problem?: ExchangeError): WaitEnd | undefined =>
	signal?.aborted ? 'stopped' : isOfKey(problem) ? 'unreadable' : isLate ? 'time_limit' : undefined;

const waitReport = (ended: WaitEnd, waitedMs: number, problem?: ExchangeError) => ({
	until: 'settled',
	reached: ended === 'reached',
	ended,
	waited_seconds: Math.round(waitedMs / 100) / 10,
	...(problem && { problem: problem.summary }),
});
