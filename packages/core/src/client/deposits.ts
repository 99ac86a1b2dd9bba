import { operationOf, options, type Operation } from '../catalogue';
import { equal, isDecimal } from '../decimal';
import { sleep, type Ports } from '../ports';
import type { CallContext, Read } from '../context';
import { firstWithin, identityOf, itemsIn, textOf, type Item } from '../wire/payload';
import { withState } from './settlement';

/** How long a deposit may take to appear among the transactions, and how often the list is read meanwhile. */
const READ_BACK_MS = 30_000;
const READ_EVERY_MS = 500;
const idNames = ['transaction_id', 'transactionId', 'id', 'public_id', 'reference'];

/** Identities of the transactions listed before the deposit, so that a new one is recognized. */
export type Before = ReadonlySet<string>;

const list = operationOf(options.read_back.uses);

/** Reads the transactions listed before the deposit is sent. */
export async function transactionsBefore(context: CallContext, read: Read): Promise<Before> {
	return new Set((await transactions(context, read)).map((item) => identityOf(item, list)));
}

/**
 * The answer of a deposit together with its transaction. The interface does not show the answer, so the transaction is
 * found by an id in it or, failing that, by being new in the list. (Interface, part 4.)
 */
export async function readBack(
	{ label }: Operation,
	answer: Item,
	sent: Readonly<Record<string, unknown>>,
	before: Before,
	{ context, read, ports }: { context: CallContext; read: Read; ports: Ports },
): Promise<Item> {
	const id = idIn(answer);
	const endsAt = ports.clock.elapsed() + READ_BACK_MS;
	// The deposit is already done, so a read that fails is retried and fails nothing.
	while (ports.clock.elapsed() < endsAt && !context.signal?.aborted) {
		const items = await transactions(context, read).catch(() => []);
		const identified = id === undefined ? undefined : items.find((item) => identityOf(item, list) === id);
		const deposit = identified ?? items.find((item) => !before.has(identityOf(item, list)) && isOf(item, sent));
		if (deposit) return withState(answer, deposit);
		await sleep(ports.clock, READ_EVERY_MS, context.signal);
	}
	context.warn?.({
		kind: 'not_checked',
		text: `${label}: the transaction did not appear within ${READ_BACK_MS / 1000} seconds; it may belong to another account or still be on its way`,
	});
	return { ...answer, transaction: null };
}

const transactions = async (context: CallContext, read: Read): Promise<Item[]> =>
	itemsIn(await read(options.read_back.uses, {}, context), list.list!.at);

const idIn = (answer: Item): string | undefined => firstWithin(answer, idNames, ['transaction', 'deposit', 'data']);

/** Whether the amount and the currency of a transaction, where shown, are the ones that were sent. */
function isOf(item: Item, sent: Readonly<Record<string, unknown>>): boolean {
	const amount = textOf(item, 'amount');
	const currencies = [textOf(item, 'currency'), textOf(item, 'settlement_rail'), textOf(item, 'asset')].filter(
		(name) => name !== undefined,
	);
	const wanted = sent.asset ?? sent.currency;
	const sameAmount = !isDecimal(amount) || !isDecimal(sent.amount) || equal(amount, sent.amount);
	return sameAmount && (currencies.length === 0 || wanted === undefined || currencies.includes(String(wanted)));
}
