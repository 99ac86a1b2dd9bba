/** The values of one run: the form, with values from where it points, and the message over it. */
import { ExchangeError, type Warning } from '@partner-exchange/core';
import { isEmpty } from '@partner-exchange/core/adapters';
import { isOrderWrite, type Field, type Options } from '@partner-exchange/core/catalogue';
import type { NodeAPI } from 'node-red';
import type { Message, Node, Settings } from './host';
import { propertyOf, type Offer, type PaletteNode, type Row } from './palette';

/** Characters of an unreadable value that are quoted. */
const SHOWN_MAX = 60;

export interface Values {
	input: Record<string, unknown>;
	options: Options;
}

/**
 * Every value of one run. A value the form points at and finds empty is refused: without it the order would be a
 * different one.
 */
export async function readValues(RED: NodeAPI, node: Node, form: Form, message: Message): Promise<Values> {
	const { palette, offer, settings } = form;
	const values: Values = { input: {}, options: {} };
	for (const row of palette.rows.filter(({ verbs }) => verbs.includes(offer.verb))) {
		const typed = (): Promise<unknown> => formValue(RED, node, { settings, property: row.property }, message);
		if (row.part === 'option') {
			const value = await typed();
			// To the core only what is undefined is not set.
			if (pointsElsewhere(settings, row)) Object.assign(values.options, { [row.name]: value ?? null });
			else if (!isEmpty(value)) Object.assign(values.options, { [row.name]: value });
			continue;
		}
		const value = failedWrite(offer, message)?.[row.name] ?? (await inputValue(row, offer, message.payload, typed));
		if (!isEmpty(value)) values.input[row.name] = value;
		else if (pointsElsewhere(settings, row)) values.input[row.name] = null;
	}
	refuseFoundNothing(form, values.input, message.payload);
	leaveOutUnapplied(form, values.input, message.payload);
	return values;
}

/** A switch typed into the form stands there as well when it is empty: no form writes that. */
const pointsElsewhere = (settings: Settings, { property }: Row): boolean =>
	settings[property] !== undefined && !['str', 'num'].includes(String(settings[`${property}Type`] ?? 'str'));

function refuseFoundNothing({ offer, settings }: Form, input: Record<string, unknown>, given: unknown): void {
	for (const [name, value] of Object.entries(input)) {
		if (value !== null) continue;
		delete input[name];
		const field = offer.operation.input[name]!;
		if (recordOf(given)?.[name] !== undefined || !appliesTo(field, input)) continue;
		const property = propertyOf(name);
		throw unreadable(
			name,
			`${field.label} is taken from ${String(settings[`${property}Type`])} "${String(settings[property]).slice(0, SHOWN_MAX)}", which is empty`,
		);
	}
}

/**
 * A field of the message that the operation has and that does not apply. Where the message itself chose so, or is a record
 * of the service, it is left out with a word; otherwise message and form contradict each other.
 */
function leaveOutUnapplied({ offer, warn }: Form, input: Record<string, unknown>, given: unknown): void {
	const payload = recordOf(given) ?? {};
	for (const [name, field] of Object.entries(offer.operation.input)) {
		if (isEmpty(payload[name]) || appliesTo(field, input)) continue;
		const [sibling, value] = Object.entries(field.onlyWhen!)[0]!;
		const what = `${field.label} in msg.payload does not apply, because ${sibling} is ${String(input[sibling])} and not ${value}`;
		if (isEmpty(payload[sibling]) && !isFromService(payload)) throw unreadable(name, what);
		warn({ kind: 'not_checked', text: `${what}: it was left out` });
	}
}

const appliesTo = ({ onlyWhen = {} }: Field, input: Readonly<Record<string, unknown>>): boolean =>
	Object.entries(onlyWhen).every(([sibling, value]) => String(input[sibling]).trim().toLowerCase() === value);

/**
 * A field of `msg.payload` wins over the form, so that the form holds the defaults. A record of the service is not a wish,
 * though: it fills what the form leaves empty, and its keys are those of another intent.
 */
async function inputValue(
	{ name }: Row,
	{ operation }: Offer,
	given: unknown,
	typed: () => Promise<unknown>,
): Promise<unknown> {
	const payload = recordOf(given);
	const sent = payload && Object.hasOwn(payload, name) ? payload[name] : undefined;
	if (sent === undefined) return await typed();
	if (!isFromService(payload!)) return sent;
	const own = await typed();
	if (!isEmpty(own)) return own;
	return isOrderWrite(operation) && identity.has(name) ? undefined : sent;
}

/** A look-up follows a write that failed: wired to a Catch node, it finds there what it needs. */
function failedWrite({ operation }: Offer, message: Message): Record<string, unknown> | undefined {
	if (operation.run.via !== 'lookup') return undefined;
	return recordOf(recordOf((message as { error?: unknown }).error)?.cause);
}

const identity = new Set(['client_order_id', 'idempotency_key']);
/** What only the service writes. */
const stamps = ['created_at', 'updated_at', 'replaced_at', 'cancelled_at'];

const isFromService = (payload: Record<string, unknown>): boolean =>
	stamps.some((stamp) => Object.hasOwn(payload, stamp));

export interface Form {
	palette: PaletteNode;
	offer: Offer;
	settings: Settings;
	warn: (warning: Warning) => void;
}

/** One typed property: text as it stands, or what it points at in the message, the context or the environment. */
export async function formValue(
	RED: NodeAPI,
	node: Node,
	{ settings, property }: { settings: Settings; property: string },
	message: Message,
): Promise<unknown> {
	const value = settings[property];
	const type = String(settings[`${property}Type`] ?? 'str');
	// A number typed into a form stays the text it was typed as: an amount never becomes a float.
	// Node-RED's own reader makes a choice of whatever stands there as a switch.
	if (type === 'str' || type === 'num' || type === 'bool') return value;
	if (type === 'env') return environmentValue(RED, node, property, String(value));
	try {
		return await new Promise((resolve, reject) => {
			RED.util.evaluateNodeProperty(String(value ?? ''), type, node, message, (error, found: unknown) =>
				error ? reject(error) : resolve(found),
			);
		});
	} catch {
		throw unreadable(property, `${property} cannot be read from ${type} "${String(value).slice(0, SHOWN_MAX)}"`);
	}
}

function environmentValue(RED: NodeAPI, node: Node, property: string, name: string): unknown {
	const value: unknown = RED.util.evaluateNodeProperty(name, 'env', node, {});
	if (value === '') throw unreadable(property, `The environment variable ${name} is not set`);
	return value;
}

const unreadable = (field: string, what: string): ExchangeError => new ExchangeError('invalid_input', { field, what });

const recordOf = (value: unknown): Record<string, unknown> | undefined =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
		? (value as Record<string, unknown>)
		: undefined;
