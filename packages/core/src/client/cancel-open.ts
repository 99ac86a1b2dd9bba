import { composedOf, finality, openStatuses } from '../catalogue';
import { waitMsOf } from '../context';
import { isExchangeError, type ErrorCode, type ExchangeError } from '../errors';
import { sleep } from '../ports';
import { instantOf, orderIdOf, plainWord, readTime, statusOf, textOf, type Item } from '../wire/payload';
import { withRemaining } from '../wire/remaining';
import type { Composing } from './contract';

/** Cancels under way at once: one after another, a long list would take minutes in a bad moment. */
const CANCELS_AT_ONCE = 10;
/** Pause before the list is read again: a new order may take a moment to appear in it. */
const LOOK_AGAIN_MS = 1_000;
/** The looks at the list in a row that must show nothing to cancel, because lists lag. */
const QUIET_LOOKS = 2;

/** Failures that no further try mends. A cancel that is refused may pass a moment later. */
const hopelessCancels: ReadonlySet<ErrorCode | undefined> = new Set(['unauthorized', 'forbidden', 'not_available']);
/** Failures of the list that no further try mends. */
const hopelessReads: ReadonlySet<ErrorCode | undefined> = new Set([
	...hopelessCancels,
	'refused',
	'not_found',
	'invalid_input',
]);

/** The state of an order that is to be cancelled. */
interface Target {
	order: Item;
	/** Why the last cancel did not end it. */
	problem?: ExchangeError;
	/** The order was seen in a final status, whatever a list that lags shows. */
	isOver: boolean;
}

/**
 * Cancels every open order that the input names, waits for the end of each, and looks again for those that arrived
 * meanwhile. A failed read or a refused cancel stops nothing else, and what is still open is said. A second call while
 * one runs joins it.
 */
export async function cancelOpenOrders(composing: Composing): Promise<Item> {
	const { running, input, context } = composing;
	const name = JSON.stringify(['cancel_open', input]);
	for (;;) {
		const joined = running.get(name);
		if (joined === undefined) break;
		const answer = (await joined) as Item;
		// The first call was stopped by its own caller, so this one goes on alone.
		if (answer.problem !== STOPPED || context.signal?.aborted) return answer;
	}
	const run = cancelUntilQuiet(composing);
	running.set(name, run);
	try {
		return await run;
	} finally {
		running.delete(name);
	}
}

const STOPPED = 'It was stopped before everything was cancelled';

async function cancelUntilQuiet(composing: Composing): Promise<Item> {
	const { context, ports } = composing;
	const { signal } = context;
	const endsAt = ports.clock.elapsed() + waitMsOf(context);
	const secondsLeft = (): number => Math.max(1, Math.round((endsAt - ports.clock.elapsed()) / 1_000));
	const targets = new Map<string, Target>();
	let unread: ExchangeError | undefined;
	let unclear = 0;
	for (let quiet = 0; quiet < QUIET_LOOKS && !signal?.aborted;) {
		const look = await readOpenOrders(composing);
		[unread, unclear] = [look.problem, look.unclear.size];
		if (unread && targets.size === 0 && look.rows.size === 0 && hopelessReads.has(unread.code)) throw unread;
		for (const [id, order] of look.rows) if (!targets.has(id)) targets.set(id, { order, isOver: false });
		const wanted = [...targets.values()].filter(
			({ isOver, problem }) => !isOver && !hopelessCancels.has(problem?.code),
		);
		quiet = wanted.length === 0 && !unread ? quiet + 1 : 0;
		await eachAtOnce(wanted, (target) => cancelOne(target, composing, secondsLeft()));
		if (ports.clock.elapsed() >= endsAt) break;
		if (quiet < QUIET_LOOKS) await sleep(ports.clock, Math.min(LOOK_AGAIN_MS, endsAt - ports.clock.elapsed()), signal);
	}
	if (unread && targets.size === 0) throw unread;
	return cancelAnswer([...targets.values()], { unread, unclear }, composing);
}

interface OpenOrders {
	rows: Map<string, Item>;
	/** Open orders that show no identifier, or not what the input asks for: nobody can say whether they were meant. */
	unclear: Set<string>;
	problem?: ExchangeError;
}

/** The open orders that the input names, as far as the list can be read. */
async function readOpenOrders({ operation, input, client, context }: Composing): Promise<OpenOrders> {
	const [list] = composedOf(operation);
	const look: OpenOrders = { rows: new Map(), unclear: new Set() };
	// The statuses are read in the order of an order's life, so an order that moves on meanwhile is found in a later
	// list.
	for (const status of openStatuses) {
		try {
			const query = { status, ...(input.pair_id === undefined ? {} : { pair_id: input.pair_id }) };
			const found = client.items(list!, query, { signal: context.signal, warn: context.warn });
			for await (const row of found) {
				if (finality(statusOf(row) ?? 'pending') !== 'open') continue;
				const [id, isMeant] = [orderIdOf(row), isMeantBy(row, input)];
				if (isMeant === undefined || (isMeant && id === undefined)) look.unclear.add(JSON.stringify(row));
				else if (isMeant) look.rows.set(id!, row);
			}
		} catch (error) {
			if (!isExchangeError(error)) throw error;
			look.problem = error;
		}
	}
	return look;
}

/** Whether the input asks for an order; undefined where the order does not show it. */
function isMeantBy(row: Item, { side: wanted = 'both', created_before }: Item): boolean | undefined {
	const [side, at, until] = [textOf(row, 'side'), instantOf(row.created_at), readTime(String(created_before))?.at];
	if (wanted !== 'both' && side !== undefined && plainWord(side) !== wanted) return false;
	if (until !== undefined && at !== undefined && at >= until) return false;
	const isShown = (wanted === 'both' || side !== undefined) && (until === undefined || at !== undefined);
	return isShown || undefined;
}

/** One cancel, to the end of the order. What it fails with is remembered, so that the others go on. */
async function cancelOne(
	target: Target,
	{ operation, client, context }: Composing,
	wait_seconds: number,
): Promise<void> {
	const [, cancel] = composedOf(operation);
	const { order } = target;
	const input = { pair_id: order.pair_id, order_id: orderIdOf(order) };
	try {
		const { signal, warn } = context;
		const chosen = {
			wait: 'final',
			wait_seconds,
			fail_when: 'never',
			unknown_after_seconds: wait_seconds,
		} as const;
		const answer = (await client.call(cancel!, input, { signal, warn, options: chosen })) as Item;
		target.order = { ...order, ...answer };
		target.problem = undefined;
		target.isOver = finality(statusOf(answer) ?? '') === 'final';
	} catch (error) {
		if (!isExchangeError(error)) throw error;
		target.problem = error;
	}
}

async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
	const waiting = [...items];
	const lane = async (): Promise<void> => {
		for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
	};
	await Promise.all(Array.from({ length: CANCELS_AT_ONCE }, lane));
}

function cancelAnswer(
	targets: readonly Target[],
	{ unread, unclear }: { unread: ExchangeError | undefined; unclear: number },
	{ context, operation }: Composing,
): Item {
	const open = targets.filter(({ isOver }) => !isOver).length;
	const left = [
		...(open > 0 ? [`${open} of ${targets.length} orders may still be open`] : []),
		...(unclear > 0 ? [`open orders that do not show whether they were meant, and were left: ${unclear}`] : []),
	].join('; ');
	const problem = context.signal?.aborted ? STOPPED : unread ? `The list could not be read: ${unread.what}` : left;
	if (problem) {
		const text = `${operation.label}: ${left || problem}; look at the list and run it again`;
		context.warn?.({ kind: 'not_checked', text });
	}
	return { orders: targets.map(rowOf), still_open: open + unclear, problem: problem || null };
}

/** How one order ended; `still_open` where nothing shows its end. */
function rowOf({ order, problem, isOver }: Target): Item {
	const { status, pair_id, side, quantity, filled_quantity, remaining_quantity } = withRemaining(order);
	return {
		order_id: orderIdOf(order),
		outcome: isOver ? statusOf(order) : 'still_open',
		status,
		pair_id,
		side,
		quantity,
		filled_quantity,
		remaining_quantity,
		problem: isOver || !problem ? null : problem.summary,
	};
}
