import type { IntentKind } from '../../catalogue';
import { add, compare, multiply, readDecimal } from '../../decimal';
import { ExchangeError } from '../../errors';
import type { Clock } from '../../ports';
import { limitFields, NO_LIMIT, stopSwitch, type GivenLimits, type LimitSettings } from './limit-fields';
import { createTurnover, ORDERS_MAX, type Turnover } from './turnover';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** One order about to be sent. */
interface AdmittedOrder {
	key: string;
	kind: IntentKind;
	/** Label of the operation, for people. */
	label: string;
	quantity?: string;
	price?: string;
}

/**
 * The limits of one account and its stop switch, shared by everything in the process that sends orders for the account.
 * A cancel always passes, because it only lowers the exposure.
 */
export interface AccountLimits {
	/**
	 * Counts an order once, however often it is sent. Throws when the order would exceed a limit or the account is
	 * stopped.
	 */
	admit(order: AdmittedOrder): void;
	/** Throws while the account is stopped. */
	assertRunning(order: Pick<AdmittedOrder, 'kind' | 'label'>): void;
	/** Stops the account: nothing more is sent; intents in progress are still looked up. */
	stop(reason?: string): void;
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

export function createAccountLimits(clock: Pick<Clock, 'elapsed'>, given: LimitSettings = {}): AccountLimits {
	let windows = windowsOf(given);
	let reason: string | undefined;
	const sent: Readonly<Record<Period, Turnover>> = { minute: createTurnover(MINUTE_MS), day: createTurnover(DAY_MS) };

	const assertRunning: AccountLimits['assertRunning'] = ({ kind, label }) => {
		if (reason === undefined || kind === 'cancel') return;
		throw new ExchangeError('not_available', {
			operation: label,
			what: `Trading of this account is stopped (${reason})`,
			advice: 'Find out why before the switch is released; this attempt sent nothing',
			details: { rule: 'stop_switch' },
		});
	};
	return {
		assertRunning,
		admit: (order) => {
			assertRunning(order);
			if (order.kind === 'cancel' || sent.day.has(order.key)) return;
			const at = clock.elapsed();
			const value =
				order.price === undefined || order.quantity === undefined ? undefined : multiply(order.quantity, order.price);
			const before = { minute: sent.minute.until(at), day: sent.day.until(at) };
			for (const window of windows) assertWithin(window, order, value, before[window.period]);
			for (const turnover of [sent.minute, sent.day]) turnover.add({ key: order.key, at, value: value ?? '0' });
		},
		stop: (why = 'stopped by hand') => void (reason = why),
		resume: () => void (reason = undefined),
		stopped: () => reason,
		configure: (settings) => void (windows = windowsOf(settings)),
	};
}

type Period = 'minute' | 'day';

interface Window {
	name: keyof LimitSettings;
	period: Period;
	/** The period in words: "24 hours". */
	per: string;
	count?: number;
	value?: string;
}

function windowsOf({ ordersPerMinute, ordersPerDay, valuePerMinute, valuePerDay }: LimitSettings): Window[] {
	const minute = { period: 'minute', per: 'minute' } as const;
	const day = { period: 'day', per: '24 hours' } as const;
	const all: Window[] = [
		{ ...minute, name: 'ordersPerMinute', count: countIn('ordersPerMinute', ordersPerMinute) },
		{ ...day, name: 'ordersPerDay', count: countIn('ordersPerDay', ordersPerDay) },
		{ ...minute, name: 'valuePerMinute', value: valueIn('valuePerMinute', valuePerMinute) },
		{ ...day, name: 'valuePerDay', value: valueIn('valuePerDay', valuePerDay) },
	];
	return all.filter(({ count, value }) => count !== undefined || value !== undefined);
}

function countIn(field: keyof LimitSettings, given: unknown): number | undefined {
	if (given === undefined) return undefined;
	const count = typeof given === 'string' && /^\d{1,6}$/.test(given.trim()) ? Number(given) : given;
	if (Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= ORDERS_MAX) return count as number;
	throw invalid(field, `must be a whole number from 0 to ${ORDERS_MAX}`);
}

function valueIn(field: keyof LimitSettings, given: unknown): string | undefined {
	if (given === undefined) return undefined;
	const value = readDecimal(given);
	if ('text' in value) return value.text;
	throw invalid(field, value.reason);
}

/** A limit that cannot be parsed would limit nothing, so it is refused. */
const invalid = (field: keyof LimitSettings, reason: string): ExchangeError =>
	new ExchangeError('invalid_account', {
		field,
		what: `${limitFields[field].label} ${reason}`,
		advice: `Give it such a number, or ${NO_LIMIT} where nothing is to be limited; nothing was sent`,
	});

function assertWithin(
	{ name, per, count, value: most }: Window,
	{ label }: AdmittedOrder,
	value: string | undefined,
	sent: { count: number; value: string },
): void {
	const refuse = (what: string): never => {
		throw new ExchangeError('limit_reached', {
			operation: label,
			what,
			advice:
				'See what sends so much before you wait or raise the limit of the account, which each process counts for itself; nothing was sent',
			details: { rule: name },
		});
	};
	if (count !== undefined && sent.count >= count)
		refuse(`The account may send ${count} orders per ${per}, and has sent ${sent.count}`);
	if (most === undefined) return;
	if (value === undefined)
		return refuse(`A market order has no price, so it cannot be held to the ${most} the account may send per ${per}`);
	const total = add(sent.value, value);
	if (compare(total, most) > 0)
		refuse(`The account may send orders worth ${most} per ${per}, and this one would make it ${total}`);
}
