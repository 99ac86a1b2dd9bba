/** What a node was told: its form, with values taken from where the form points, and the message over it. */
import { isOrderWrite, ExchangeError, type Options } from '@partner-exchange/core';
import type { NodeAPI } from 'node-red';
import type { Message, Node, Settings } from './host';
import type { Offer, PaletteNode, Row } from './palette';

/** Of a value that cannot be read, this many characters are quoted. */
const SHOWN_MAX = 60;

export interface Values {
	input: Record<string, unknown>;
	options: Options;
}

/** Every value of one run. */
export async function readValues(RED: NodeAPI, node: Node, form: Form, message: Message): Promise<Values> {
	const { palette, offer, settings } = form;
	const values: Values = { input: {}, options: {} };
	for (const row of palette.rows.filter(({ verbs }) => verbs.includes(offer.verb))) {
		const typed = (): Promise<unknown> => formValue(RED, node, { settings, property: row.property }, message);
		const value = row.part === 'input' ? await inputValue(row, offer, message.payload, typed) : await typed();
		if (isEmpty(value)) continue;
		if (row.part === 'input') values.input[row.name] = value;
		else Object.assign(values.options, { [row.name]: optionValue(row, value) });
	}
	return values;
}

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

const identity = new Set(['client_order_id', 'idempotency_key']);
/** What only the service writes. */
const stamps = ['created_at', 'updated_at', 'replaced_at', 'cancelled_at'];

const isFromService = (payload: Record<string, unknown>): boolean =>
	stamps.some((stamp) => Object.hasOwn(payload, stamp));
const isEmpty = (value: unknown): boolean => value === undefined || value === '';

export interface Form {
	palette: PaletteNode;
	offer: Offer;
	settings: Settings;
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
	if (type === 'str' || type === 'num') return value;
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

function optionValue({ name, field }: Row, value: unknown): unknown {
	switch (field.kind) {
		case 'boolean':
			return value === true || value === 'true';
		case 'integer':
			if (!/^\d+$/.test(String(value).trim())) throw unreadable(name, `${field.label} must be a whole number`);
			return Number(value);
		default:
			return String(value).trim();
	}
}

const unreadable = (field: string, what: string): ExchangeError => new ExchangeError('invalid_input', { field, what });

export const recordOf = (value: unknown): Record<string, unknown> | undefined =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
		? (value as Record<string, unknown>)
		: undefined;
