import { options, transactionFinality, type WaitEnd } from '../catalogue';
import { waitMsOf, type CallContext, type Read } from '../context';
import { sleep, type Ports } from '../ports';
import { firstOf, isItem, textOf, type Item } from '../wire/payload';

/** Waits until a transaction is over, as the wait of an order does for an order. */

/** The first pause is short and later ones grow: a bank takes hours, the sandbox milliseconds. */
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 15_000;
const GROWTH = 1.5;

const { uses } = options.wait_settled;

interface SettlementDeps {
	context: CallContext;
	read: Read;
	ports: Ports;
}

/**
 * Waits for the transaction of a deposit or a withdrawal, and answers with its state on top: whoever looks at the status
 * wants to know how it ended. One whose transaction was not found is returned as it is.
 */
export async function withSettled(deposit: Item, deps: SettlementDeps): Promise<Item> {
	const { transaction } = deposit;
	if (!isItem(transaction)) return deposit;
	const id = firstOf(transaction, ['id', 'transaction_id']);
	const settled = await untilSettled(id, transaction, deps);
	return { ...withState(deposit, settled), status: settled.status, wait: settled.wait };
}

/** A first answer is old where its transaction was read after it, so what both show is told as the transaction shows it. */
export function withState(answer: Item, transaction: Item): Item {
	const shared = Object.keys(answer).filter((name) => name !== 'transaction' && Object.hasOwn(transaction, name));
	return { ...answer, ...Object.fromEntries(shared.map((name) => [name, transaction[name]])), transaction };
}

/** The latest state of the transaction, and how the wait ended. A read that fails is retried. */
export async function untilSettled(
	id: unknown,
	transaction: Item,
	{ context, read, ports }: SettlementDeps,
): Promise<Item> {
	const startedAt = ports.clock.elapsed();
	const limitMs = waitMsOf(context);
	let latest = transaction;
	let pauseMs = FIRST_PAUSE_MS;
	for (;;) {
		const waitedMs = ports.clock.elapsed() - startedAt;
		const ended = endOf(latest, waitedMs >= limitMs, context);
		if (ended) return { ...latest, wait: waitOf(ended, waitedMs) };
		await sleep(ports.clock, Math.min(pauseMs, limitMs - waitedMs), context.signal);
		pauseMs = Math.min(pauseMs * GROWTH, PAUSE_MS_MAX);
		const transaction = await read(uses, { transaction_id: id }, context).catch(() => undefined);
		if (isItem(transaction)) latest = transaction;
	}
}

function endOf(item: Item, isLate: boolean, { signal }: CallContext): WaitEnd | undefined {
	// An unknown status counts as not final; the deadline bounds the wait.
	if (transactionFinality(textOf(item, 'status') ?? '') === 'final') return 'reached';
	if (signal?.aborted) return 'stopped';
	return isLate ? 'time_limit' : undefined;
}

const waitOf = (ended: WaitEnd, waitedMs: number) => ({
	until: 'settled',
	reached: ended === 'reached',
	ended,
	waited_seconds: Math.round(waitedMs / 100) / 10,
});
