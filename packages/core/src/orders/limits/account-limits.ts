import type { IntentKind } from '../../catalogue';
import { add, compare } from '../../decimal';
import { ExchangeError } from '../../errors';
import { assertKind, having, aText } from '../../given';
import type { Clock } from '../../ports';
import type { Item } from '../../wire/payload';
import { type GivenLimits, type LimitSettings, type Window, stopSwitch, windowsOf } from './limit-fields';
import { orderValue } from './risk-limits';
import { isOwnedBy } from '../journal';
import { createPlacedCount, type CountSource, type PlacedCount, type SentOrder } from './placed-count';

/** One order about to be sent. */
export interface AdmittedOrder extends SentOrder {
	kind: IntentKind;
	quantity?: string;
	price?: string;
}

/**
 * The limits of one account and its stop switch, shared by everything in the process that sends orders for the account.
 * A cancel always passes, because it only lowers the exposure.
 */
export interface AccountLimits {
	/**
	 * Counts an order once, however often it is sent, beside what the account placed within the period.
	 *
	 * @throws An {@link ExchangeError}: `limit_reached` when the order would exceed a limit, the codes of a read when what was
	 * placed cannot be read, `not_available` while the account is stopped.
	 */
	admit(order: AdmittedOrder, source: CountSource): Promise<void>;
	/**
	 * Takes over what the service shows of an order, in an answer, a list or an update of the stream. `key` is the one it
	 * was admitted under, where that is known.
	 */
	orderShown(order: Readonly<Item>, key?: string): void;
	/**
	 * Passes while the account runs. A cancel always passes.
	 *
	 * @throws An {@link ExchangeError}: `not_available` while the account is stopped.
	 */
	assertRunning(order: Pick<AdmittedOrder, 'kind' | 'label'>): void;
	/** Stops the account: nothing more is sent; intents in progress are still looked up. */
	stop(reason?: string): void;
	/** Lets orders through again. The counts go on. */
	resume(): void;
	/** Why the account is stopped; undefined while it runs. */
	stopped(): string | undefined;
	/** Replaces the limits and keeps the counts. */
	configure(settings: LimitSettings): void;
}

/** Applies the settings of an account. */
export function applyLimits(limits: AccountLimits, { settings, isStopped }: GivenLimits): void {
	limits.configure(settings);
	if (isStopped) limits.stop(`${stopSwitch.label} is on in the account`);
	else limits.resume();
}

/**
 * Creates the limits of one account. Pass the same object to every client of the account.
 *
 * @throws An {@link ExchangeError}: `invalid_account` for a limit that is no positive number or decimal.
 *
 * @example
 * const limits = createAccountLimits(systemClock, { ordersPerMinute: 20, valuePerDay: '5000000' });
 * const client = createClient(account, nodePorts(), { limits });
 */
export function createAccountLimits(clock: Pick<Clock, 'elapsed'>, initial: LimitSettings = {}): AccountLimits {
	assertKind(clock, having('elapsed'), { of: 'The clock', field: 'clock', advice: 'Take systemClock' });
	let windows = windowsOf(initial);
	let reason: string | undefined;
	let counted: PlacedCount | undefined;

	/** Another address or key may lead to another account, whose orders are counted from its own list. */
	function countOf(source: CountSource): PlacedCount {
		if (counted && isOwnedBy(source.owner, counted.owner)) return counted;
		counted?.end();
		return (counted = createPlacedCount(clock, source));
	}

	const assertRunning: AccountLimits['assertRunning'] = ({ kind, label }) => {
		if (reason === undefined || kind === 'cancel') return;
		throw new ExchangeError('not_available', {
			operation: label,
			what: `Trading of this account is stopped (${reason})`,
			advice: 'Find out why before the switch is released',
			details: { rule: 'stop_switch' },
		});
	};
	return {
		assertRunning,
		admit: async (order, source) => {
			assertRunning(order);
			if (order.kind === 'cancel') return;
			const count = countOf(source);
			const gap = await count.read(windows, source, order);
			// What is sent again is counted already, and refused where others used up its place since.
			const isCounted = count.has(order.key);
			const needsValue = !isCounted && windows.some(({ value }) => value !== undefined);
			const item: Item = { ...order };
			const value = needsValue ? await worthOf(item, () => count.priceOf(order)) : (orderValue(item) ?? '0');
			// Nothing waits between these, so that no other order comes between the check and the count.
			assertRunning(order);
			for (const window of windows) {
				const placed = count.within(window.period, order.pair_id);
				assertWithin(window, order, isCounted ? placed : withThis(placed, value));
			}
			if (gap) throw gap;
			if (!isCounted) count.send(order, value ?? '0');
		},
		orderShown: (order, key) => counted?.show(order, key),
		stop: (why = 'stopped by hand') => {
			assertKind(why, aText, { of: 'The reason of a stop', field: 'reason' });
			reason = why;
		},
		resume: () => void (reason = undefined),
		stopped: () => reason,
		configure: (settings) => void (windows = windowsOf(settings)),
	};
}

/** A market order counts at the price of the moment until it is filled. */
const worthOf = async (order: Item, priceNow: () => Promise<string>): Promise<string | undefined> =>
	orderValue(order) ?? (order.quantity === undefined ? undefined : orderValue(order, await priceNow()));

/** What the account placed in a window, the order in question with it; no value for an order without a quantity. */
interface Placed {
	count: number;
	value?: string;
}

const withThis = ({ count, value: before }: { count: number; value: string }, value: string | undefined): Placed => ({
	count: count + 1,
	value: value === undefined ? undefined : add(before, value),
});

function assertWithin(
	{ name, period, count, value: most }: Window,
	{ label }: AdmittedOrder,
	{ count: placed, value: total }: Placed,
): void {
	const per = { minute: 'minute', day: '24 hours' }[period];
	const refuse = (what: string): never => {
		throw new ExchangeError('limit_reached', {
			operation: label,
			what,
			advice:
				'Orders of other programs count too: see what places so much before you wait or raise the limit of the account',
			details: { rule: name },
		});
	};
	if (count !== undefined && placed > count)
		refuse(
			`The account may place ${count} ${count === 1 ? 'order' : 'orders'} per ${per}, and has placed ${placed - 1}`,
		);
	if (most === undefined) return;
	if (total === undefined) return refuse(`An order without a quantity cannot be held to the ${most} per ${per}`);
	if (compare(total, most) > 0)
		refuse(`The account may place orders worth ${most} per ${per}, and this one would make it ${total}`);
}
