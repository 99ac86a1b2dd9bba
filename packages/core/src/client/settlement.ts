import { forgetOldest } from '../bounded';
import { operationOf, options, type Operation, type WaitEnd } from '../catalogue';
import { equal, isDecimal } from '../decimal';
import { sleep, type Ports } from '../ports';
import { type CallContext, type Read, waitMsOf } from '../context';
import { firstWithin, identityOf, itemsIn, statusOf, textOf, type Item, firstOf, isItem } from '../wire/payload';

/** How long a deposit may take to appear among the transactions, and how often the list is read meanwhile. */
const READ_BACK_MS = 30_000;
const READ_EVERY_MS = 500;
/** Transactions remembered as those of earlier deposits; the oldest is forgotten first. */
const TAKEN_MAX = 1_000;
const idNames = ['transaction_id', 'transactionId', 'id', 'public_id', 'reference'];

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
 * The answer of a deposit together with its transaction. The interface does not show the answer, so the transaction is
 * found by an id in it or, failing that, by being new in the list. (Interface, part 4.)
 */
export async function readBack(
	{ label }: Operation,
	answer: Item,
	{ sent, before, taken, context, read, ports, startedAt }: SettlementDeps & Deposit,
): Promise<Item> {
	const id = idIn(answer);
	// A caller that waits for the end said how long, and the transaction has to appear within that time.
	const limitMs = context.options?.wait_settled === true ? waitMsOf(context) : READ_BACK_MS;
	const endsAt = startedAt + limitMs;
	// The deposit is already done, so a read that fails is retried and fails nothing.
	while (ports.clock.elapsed() < endsAt && !context.signal?.aborted) {
		const items = await transactions(context, read).catch(() => []);
		const identified = id === undefined ? undefined : items.find((item) => identityOf(item, transactionList) === id);
		const isNew = (item: Item): boolean => ![before, taken].some((ids) => ids.has(identityOf(item, transactionList)));
		const deposit = identified ?? items.find((item) => isNew(item) && isDepositOf(item, sent));
		if (deposit) {
			// A list may lag, so the transaction of an earlier deposit can be new to a later one of the same amount.
			forgetOldest(taken.add(identityOf(deposit, transactionList)), TAKEN_MAX);
			return withState(answer, deposit);
		}
		await sleep(ports.clock, Math.min(READ_EVERY_MS, endsAt - ports.clock.elapsed()), context.signal);
	}
	context.warn?.({
		kind: 'not_checked',
		text: `${label}: the transaction did not appear within ${limitMs / 1000} seconds; it may belong to another account or still be on its way`,
	});
	return { ...answer, transaction: null };
}

const transactions = async (context: CallContext, read: Read): Promise<Item[]> =>
	itemsIn(await read(options.read_back.uses, {}, context), transactionList.list!.at);

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

/**
 * Waits for the transaction of a deposit or a withdrawal, and answers with its state on top: whoever looks at the
 * status wants to know how it ended. If the transaction was not found, the answer says that the wait had no result.
 */
export async function withSettled(deposit: Item, deps: SettlementDeps): Promise<Item> {
	const { transaction } = deposit;
	if (!isItem(transaction)) {
		const ended = deps.context.signal?.aborted ? 'stopped' : 'time_limit';
		return { ...deposit, wait: waitReport(ended, deps.ports.clock.elapsed() - deps.startedAt) };
	}
	const id = firstOf(transaction, ['id', 'transaction_id']);
	const settled = await untilSettled(id, transaction, deps);
	return { ...withState(deposit, settled), status: settled.status, wait: settled.wait };
}

/** The transaction was read after the answer, so where both show a field, the transaction is right. */
function withState(answer: Item, transaction: Item): Item {
	const shared = Object.keys(answer).filter((name) => name !== 'transaction' && Object.hasOwn(transaction, name));
	return { ...answer, ...Object.fromEntries(shared.map((name) => [name, transaction[name]])), transaction };
}

/** The latest state of the transaction, and how the wait ended. A read that fails is retried. */
export async function untilSettled(
	id: unknown,
	known: Item,
	{ context, read, ports, startedAt }: SettlementDeps,
): Promise<Item> {
	const limitMs = waitMsOf(context);
	let latest = known;
	let pauseMs = FIRST_PAUSE_MS;
	for (;;) {
		const waitedMs = ports.clock.elapsed() - startedAt;
		const ended = settlementEnd(latest, waitedMs >= limitMs, context);
		if (ended) return { ...latest, wait: waitReport(ended, waitedMs) };
		await sleep(ports.clock, Math.min(pauseMs, limitMs - waitedMs), context.signal);
		pauseMs = Math.min(pauseMs * GROWTH, PAUSE_MS_MAX);
		const transaction = await read(uses, { transaction_id: id }, context).catch(() => undefined);
		if (isItem(transaction)) latest = transaction;
	}
}

function settlementEnd(item: Item, isLate: boolean, { signal }: CallContext): WaitEnd | undefined {
	const status = statusOf(item);
	if (status === 'completed') return 'reached';
	// Over, and no money moved. An unknown status counts as not over; the deadline bounds the wait.
	if (status === 'failed' || status === 'cancelled') return status;
	if (signal?.aborted) return 'stopped';
	return isLate ? 'time_limit' : undefined;
}

const waitReport = (ended: WaitEnd, waitedMs: number) => ({
	until: 'settled',
	reached: ended === 'reached',
	ended,
	waited_seconds: Math.round(waitedMs / 100) / 10,
});
