import { readDecimal } from '../../decimal';
import { ExchangeError } from '../../errors';
import { assertGiven, readElsewhere, type Kind } from '../../given';
import { readSwitch } from '../../input/switch';
import { isEmpty, unsetVariable } from '../../input/value';
import { ORDERS_MAX, type Period } from './placed';

/** How much may be placed in any minute and any day. A limit that is not set does not apply. */
export interface LimitSettings {
	/** Orders in any 60 seconds; cancels do not count. */
	ordersPerMinute?: number;
	/** Orders in any 24 hours; cancels do not count. */
	ordersPerDay?: number;
	/**
	 * Quantity times price in the quote currency, as decimal text. A market order counts at what was filled of it, and at
	 * the price of the moment until then.
	 */
	valuePerMinute?: string;
	/** Quantity times price in the quote currency in any 24 hours, counted like `valuePerMinute`. */
	valuePerDay?: string;
}

/** The form's value for no limit. An empty field may be an unresolved variable, so empty does not mean no limit. */
export const NO_LIMIT = 'none';

const COUNTED =
	'Counted are all orders in its order list, those of other programs and cancelled ones too, and what this process sent. Each process reads the list once a minute, so several may pass the limit by the orders of a minute.';
const WORTH =
	'quantity times price, each quote currency by itself. A market order counts at what was filled of it, and at the price of the ticker until then.';

/** A limit as the forms of all hosts show it, and what it counts in which period. */
interface LimitField {
	label: string;
	help: string;
	example: string;
	period: Period;
	of: 'orders' | 'value';
}

export const limitFields: Readonly<Record<keyof LimitSettings, LimitField>> = {
	ordersPerMinute: {
		label: 'Orders per Minute',
		help: `Most orders this account places in any minute. ${COUNTED}`,
		example: '10',
		period: 'minute',
		of: 'orders',
	},
	ordersPerDay: {
		label: 'Orders per Day',
		help: `Most orders this account places in any 24 hours. ${COUNTED}`,
		example: '200',
		period: 'day',
		of: 'orders',
	},
	valuePerMinute: {
		label: 'Value per Minute',
		help: `Most that all orders of any minute are worth, ${WORTH} ${COUNTED}`,
		example: '1500000.00',
		period: 'minute',
		of: 'value',
	},
	valuePerDay: {
		label: 'Value per Day',
		help: `Most that all orders of any 24 hours are worth, ${WORTH} ${COUNTED}`,
		example: '20000000.00',
		period: 'day',
		of: 'value',
	},
};

/** The field of both hosts' accounts that stops all orders; off by default. */
export const stopSwitch = {
	name: 'stopAllOrders',
	label: 'Stop All Orders',
	help: 'Whether nothing but cancels is sent from now on. What is under way is looked up, and not sent again.',
} as const;

const limitNames = Object.keys(limitFields) as (keyof LimitSettings)[];

export interface GivenLimits {
	settings: LimitSettings;
	isStopped: boolean;
}

/**
 * Reads the limits of an account. A missing setting limits nothing; one that is present but empty or invalid is
 * refused.
 */
export function readLimits(fields: Readonly<Record<string, unknown>>): GivenLimits {
	const limits = limitNames.map((name) => [name, readLimit(name, fields)] as const);
	const settings = Object.fromEntries(limits.filter(([, limit]) => limit !== undefined)) as LimitSettings;
	return { settings, isStopped: readStop(fields) };
}

function readLimit(name: keyof LimitSettings, fields: Readonly<Record<string, unknown>>): unknown {
	if (!Object.hasOwn(fields, name)) return undefined;
	const value = fields[name];
	if (isEmpty(value)) throw refusal(name, `${limitFields[name].label} is empty`, `a number, or ${NO_LIMIT}`);
	if (typeof value !== 'string') return value;
	const text = value.trim();
	const unset = unsetVariable(text, limitFields[name].label);
	if (unset !== undefined) throw refusal(name, unset, 'a number');
	return text.toLowerCase() === NO_LIMIT ? undefined : text;
}

function readStop(fields: Readonly<Record<string, unknown>>): boolean {
	const { name, label } = stopSwitch;
	if (!Object.hasOwn(fields, name)) return false;
	if (isEmpty(fields[name])) throw refusal(name, `${label} is empty`, 'true or false');
	return readSwitch(fields[name], { field: name, label, code: 'invalid_account' });
}

const refusal = (field: string, what: string, wanted: string): ExchangeError =>
	new ExchangeError('invalid_account', { field, what, advice: `Give it ${wanted}; nothing was sent` });

/** One limit that is set: the orders of a period, or what they are worth. */
export interface Window {
	name: keyof LimitSettings;
	period: Period;
	count?: number;
	value?: string;
}

const limitKinds = Object.fromEntries(limitNames.map((name) => [name, readElsewhere])) as Record<
	keyof LimitSettings,
	Kind
>;

export function windowsOf(settings: LimitSettings): Window[] {
	assertGiven(settings, limitKinds, { of: 'An account limit', code: 'invalid_account' });
	return limitNames
		.filter((name) => settings[name] !== undefined)
		.map((name) => {
			const { period, of } = limitFields[name];
			const most = settings[name];
			return {
				name,
				period,
				...(of === 'orders' ? { count: readLimitCount(name, most) } : { value: readValue(name, most) }),
			};
		});
}

function readLimitCount(field: keyof LimitSettings, value: unknown): number {
	const count = typeof value === 'string' && /^\d{1,6}$/.test(value.trim()) ? Number(value) : value;
	if (Number.isSafeInteger(count) && (count as number) >= 0 && (count as number) <= ORDERS_MAX) return count as number;
	throw invalid(field, `must be a whole number from 0 to ${ORDERS_MAX}`);
}

function readValue(field: keyof LimitSettings, text: unknown): string {
	const value = readDecimal(text);
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
