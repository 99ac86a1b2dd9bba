/** The values of one run: what the form says, resolved where it refers elsewhere, and what the message adds to it. */
import { ExchangeError, type Warning } from '@partner-exchange/core';
import { acceptValue, applies, isEmpty, plainWord, recordId, unsetVariable } from '@partner-exchange/core/adapters';
import {
	isOrderWrite,
	isWrite,
	options,
	optionsOfForm,
	orderNames,
	writeGuards,
	type Field,
	type Operation,
	type OptionId,
	type Options,
} from '@partner-exchange/core/catalogue';
import type { NodeAPI } from 'node-red';
import type { Message, Settings } from '../host/types';
import type { HostNode } from '../host/host-node';
import { isRecord } from '../host/record';
import { propertyOf, type Offer, type PaletteNode, type Row } from '../palette';

/** Most characters of an unreadable value that an error quotes. */
export const SHOWN_MAX = 60;

export interface Values {
	input: Record<string, unknown>;
	options: Options;
}

/**
 * Reads all values of one run. A reference that yields nothing is refused, because without the value the order would be
 * a different one.
 */
export async function readValues(RED: NodeAPI, node: HostNode, form: Form, message: Message): Promise<Values> {
	const { palette, offer, settings } = form;
	const values: Values = { input: {}, options: {} };
	const named = namesIn(message, offer.operation);
	for (const row of palette.rows.filter(({ verbs }) => verbs.includes(offer.verb))) {
		const typed = (): Promise<unknown> => formValue(RED, node, { settings, property: row.property }, message);
		if (row.part === 'option') {
			const value = await typed();
			// The core treats only undefined as unset, so an empty reference is passed as null.
			if (pointsElsewhere(settings, row)) Object.assign(values.options, { [row.name]: value ?? null });
			else if (!isEmpty(value)) Object.assign(values.options, { [row.name]: value });
			const isOff = value === 'false' && settings[`${row.property}Type`] === 'bool';
			if (isEmpty(value) || isOff) refuseOption(form, row.name, named);
			continue;
		}
		const own = await typed();
		if (!isUnset(row, own)) {
			values.input[row.name] = own;
			tellFixed(form, row, own, message.payload);
		} else if (pointsElsewhere(settings, row)) values.input[row.name] = null;
		else {
			const sent = failedWrite(offer, message)?.[row.name] ?? sentValue(row, offer, message.payload);
			const field = offer.operation.input[row.name]!;
			const value = isEmpty(sent) ? recordId(row.name, field, message.payload) : sent;
			if (!isEmpty(value)) values.input[row.name] = field.kind === 'json' ? withoutFixed(form, field, value) : value;
			// The core knows where an empty cell is one that was left out, and where it would widen what is done.
			else if (sent !== undefined) values.input[row.name] = '';
		}
	}
	refuseFoundNothing(form, values.input, message.payload);
	refuseGuards(form, named);
	refuseUnread(form, values.input, named);
	leaveOutUnapplied(form, values.input, message.payload);
	return { ...values, options: optionsOfForm(offer.operation, values.options) };
}

/**
 * Whether the value refers to the message, a context or the environment. A `bool` counts as well, since the form never
 * leaves it empty. JSON is a value in the form itself.
 */
const pointsElsewhere = (settings: Settings, { property }: Row): boolean =>
	settings[property] !== undefined && !['str', 'num', 'json'].includes(String(settings[`${property}Type`] ?? 'str'));

/** The form shows an object without fields where nothing was entered. */
const isUnset = ({ field }: Row, value: unknown): boolean =>
	isEmpty(value) || (field.kind === 'json' && JSON.stringify(value) === '{}');

/** A message that asks for something else than the form fixes is not obeyed, and a warning says so. */
function tellFixed({ offer: { operation }, warn }: Form, { name, field }: Row, own: unknown, body: unknown): void {
	const payload = recordOf(body);
	if (!isWrite(operation) || !payload || !Object.hasOwn(payload, name) || isRecord(payload)) return;
	if (isEmpty(payload[name]) || JSON.stringify(payload[name]) === JSON.stringify(own)) return;
	const text = `${field.label} in msg.payload was not read, because the form fixes it: leave it empty there, or choose msg. payload.${name}, to let the message decide`;
	warn({ kind: 'not_checked', text });
}

/** Free fields go over the named ones, so those of a message would outrank what the form fixes. */
function withoutFixed(form: Form, field: Field, value: unknown): unknown {
	const verdict = acceptValue(field, value);
	if ('reason' in verdict) return value;
	const free = { ...(verdict.value as Record<string, unknown>) };
	for (const row of form.palette.rows) {
		const own = form.settings[row.property];
		if (row.part === 'option' || isEmpty(own) || !Object.hasOwn(free, row.name)) continue;
		tellFixed(form, row, own, free);
		delete free[row.name];
	}
	return free;
}

/**
 * A message fills the inputs of a call. How it is made, or a list read, the form alone decides. A write whose message
 * names an option that the form leaves out is refused, wherever it has it: without its `Dry Run` an order would be placed,
 * and without its `business_key` placed again.
 */
function refuseOption({ offer: { operation }, warn }: Form, name: string, named: readonly Name[]): void {
	const { label } = options[name as OptionId];
	const [found] = foundAt(named, [name, label]);
	if (!found) return;
	const isOffered = operation.options?.includes(name as OptionId);
	const why = isOffered ? `it is an option of ${operation.label}` : `${operation.label} has no such option`;
	const what = `${label} in ${found.place} was not read, because ${found.unread ? `it is in ${found.unread}` : why}`;
	const choice = `Choose msg. ${`${found.place}.${name}`.slice('msg.'.length)} in the node, to let the message decide, or take`;
	const advice = `${isOffered && !found.unread ? choice : 'Take'} it out of the message`;
	if (isWrite(operation))
		throw new ExchangeError('invalid_input', { field: name, what, advice: `${advice}; nothing was sent` });
	warn({ kind: 'not_checked', text: `${what}. ${advice}` });
}

/** What protects an order protects nothing where the operation does not have it: all orders would be cancelled in a rehearsal. */
function refuseGuards(form: Form, named: readonly Name[]): void {
	const { operation } = form.offer;
	if (!isWrite(operation)) return;
	for (const name of writeGuards) if (!operation.options?.includes(name)) refuseOption(form, name, named);
}

function refuseFoundNothing({ offer, settings }: Form, input: Record<string, unknown>, payload: unknown): void {
	for (const [name, value] of Object.entries(input)) {
		if (value !== null) continue;
		delete input[name];
		const field = offer.operation.input[name]!;
		if (recordOf(payload)?.[name] !== undefined || !applies(offer.operation, name, input)) continue;
		const property = propertyOf(name);
		throw unreadable(
			name,
			`${field.label} is taken from ${String(settings[`${property}Type`])} "${String(settings[property]).slice(0, SHOWN_MAX)}", which is empty`,
		);
	}
}

/**
 * A write whose message names a field that stays empty, where it is not read, is refused: without its `Time in Force` an
 * order would rest in the book, and without its `Pair` the orders of every pair be cancelled. Around the payload and deeper
 * in it, only what changes an order is looked for, and what forms show among the options.
 */
function refuseUnread(
	{ offer: { operation }, warn }: Form,
	input: Record<string, unknown>,
	named: readonly Name[],
): void {
	if (!isWrite(operation)) return;
	const isOfOrders = operation.access.startsWith('order');
	for (const [name, field] of Object.entries(operation.input)) {
		const found = foundAt(named, [name, field.label]).find(({ place, column, unread }) => {
			if (unread) return true;
			if (place === PAYLOAD) return column !== name;
			return isOfOrders || (field.aside && place !== MESSAGE);
		});
		if (!found) continue;
		if (!isEmpty(input[name])) {
			if (found.unread)
				warn({ kind: 'not_checked', text: `No field of msg.payload was read, because it is ${found.unread}` });
			continue;
		}
		if (!applies(operation, name, input)) continue;
		const shown = `${found.place} has it as ${JSON.stringify(found.column.slice(0, SHOWN_MAX))}`;
		const where = found.unread ? `${shown}, in ${found.unread}` : shown;
		throw unreadable(name, `${field.label} is read from payload.${name}, and ${where}`);
	}
}

/**
 * Handles a message field that does not apply. It is dropped with a warning if the message itself contains the field it
 * depends on, or is a record of the service; otherwise message and form contradict each other and the run is refused.
 */
function leaveOutUnapplied({ offer, warn }: Form, input: Record<string, unknown>, body: unknown): void {
	const payload = recordOf(body) ?? {};
	for (const [name, field] of Object.entries(offer.operation.input)) {
		if (isEmpty(input[name]) || applies(offer.operation, name, input)) continue;
		// What the form holds for the other choice was hidden there.
		delete input[name];
		if (isEmpty(payload[name])) continue;
		const [sibling, value] = Object.entries(field.onlyWhen!)[0]!;
		const what = `${field.label} in msg.payload does not apply, because ${sibling} is ${String(input[sibling])} and not ${value}`;
		if (isEmpty(payload[sibling]) && !isRecord(payload)) throw unreadable(name, what);
		warn({ kind: 'not_checked', text: `${what}: it was left out` });
	}
}

/**
 * What `msg.payload` says of a field that the form leaves empty. A record of the service says what a call is about, and
 * narrows none: all open orders are cancelled behind a fill, and not those of its pair alone. A record of the service
 * does not give its identity to an order write, because it belongs to another intent. What a cancel or a replacement is
 * about may have been stored in between and lost its mark; it is the order itself, and its names would only hinder the
 * command.
 */
function sentValue({ name }: Row, { operation }: Offer, body: unknown): unknown {
	const payload = recordOf(body);
	if (!payload || !Object.hasOwn(payload, name)) return undefined;
	if (isRecord(payload) && operation.input[name]!.optional) return undefined;
	if (!isOrderWrite(operation) || !orderNames.includes(name)) return payload[name];
	const isAnothers = isRecord(payload) || ('order_id' in operation.input && isOrder(payload));
	return isAnothers ? undefined : payload[name];
}

/** A lookup node is often wired to a Catch node: the details of the failed write provide its inputs. */
function failedWrite({ operation }: Offer, message: Message): Record<string, unknown> | undefined {
	if (operation.run.via !== 'lookup') return undefined;
	return recordOf(recordOf((message as { error?: unknown }).error)?.cause);
}

/** A name that has a value somewhere in a message, such as `dry_run` in `msg.payload.options`. */
interface Name {
	place: string;
	column: string;
	word: string;
	/** Why nothing is read there, and what to do about it. */
	unread?: string;
}
const MESSAGE = 'msg';
const PAYLOAD = 'msg.payload';
const TEXT = 'text: put a json node before this one';
const LIST = 'an array: put a split node before this one';

/** A value is looked for no deeper, because a payload may be a large document, or hold itself. */
const DEPTH_MAX = 3;
/** Text is searched for names no further, because a payload may be a large file. */
const TEXT_READ_MAX = 1024 * 1024;

/** A name however it is written: `sides` and `Side` are one. */
const wordOf = (name: string): string => plainWord(name).replace(/s$/, '');

/**
 * The names in the message, its payload and the objects and lists in that, apart from what the service sent: that tells how it
 * was made, and not how to make another. The free fields of an input are read where they are.
 */
export function namesIn(message: Message, { input }: Operation): Name[] {
	const names: Name[] = [];
	const tell = (place: string, values: object, unread?: string): void => {
		for (const [column, value] of Object.entries(values))
			if (!isEmpty(value)) names.push({ place, column, word: wordOf(column), ...(unread ? { unread } : {}) });
	};
	const add = (place: string, value: unknown, depth: number, unread?: string): void => {
		const values = recordOf(Array.isArray(value) ? { ...value } : value);
		if (!values || isOfService(values) || depth > DEPTH_MAX) return;
		tell(place, values, unread);
		for (const [name, each] of Object.entries(values))
			if (!Object.hasOwn(input, name))
				add(`${place}.${name}`, each, depth + 1, depth === 1 && Array.isArray(value) ? LIST : undefined);
	};
	tell(MESSAGE, message);
	for (const name of ['payload', 'options']) {
		const written = namesInText(message[name]);
		if (!isOfService(written)) tell(`msg.${name}`, written, TEXT);
		add(`msg.${name}`, message[name], 1);
	}
	return names;
}

/**
 * What JSON in a text, or in bytes, has names of. Not parsed, because lines of JSON, JSON within JSON and torn JSON have
 * names too, and to refuse what is not read its name is enough.
 */
function namesInText(value: unknown): Record<string, true> {
	if (typeof value !== 'string' && !Buffer.isBuffer(value)) return {};
	const text = typeof value === 'string' ? value.slice(0, TEXT_READ_MAX) : value.toString('utf8', 0, TEXT_READ_MAX);
	return Object.fromEntries([...text.matchAll(/"([^"]{1,64})"\s*:/g)].map(([, name]) => [name!, true] as const));
}

/** Where the message has a value under one of these names, in whatever letters. */
export function foundAt(named: readonly Name[], wanted: string[]): Name[] {
	const words = wanted.map(wordOf);
	return named.filter(({ word }) => words.includes(word));
}

/** What the service sent, or a copy that was stored as text: it tells how it was made, and not how to make another. */
const isOfService = (payload: Record<string, unknown>): boolean =>
	isRecord(payload) || (isOrder(payload) && ['order_id', 'filled_quantity'].some((name) => !isEmpty(payload[name])));

const isOrder = (payload: Record<string, unknown>): boolean =>
	['status', 'created_at'].some((name) => Object.hasOwn(payload, name));

export interface Form {
	palette: PaletteNode;
	offer: Offer;
	settings: Settings;
	warn: (warning: Warning) => void;
}

/** What a form offers beside a value of its own. */
const SOURCES = ['msg', 'flow', 'global', 'jsonata', 'json'];

/** The value of a typed property: its text, or the value it refers to in the message, a context or the environment. */
export async function formValue(
	RED: NodeAPI,
	node: HostNode,
	{ settings, property }: { settings: Settings; property: string },
	message: Message,
): Promise<unknown> {
	const value = settings[property];
	const type = String(settings[`${property}Type`] ?? 'str');
	// A typed number stays text, so that an amount never becomes a float. A switch is not evaluated by Node-RED, because
	// Node-RED turns any text into true or false.
	if (['str', 'num', 'bool', 'env'].includes(type)) {
		const written = type === 'env' ? environmentValue(RED, node, String(value)) : value;
		const unset = unsetVariable(written, property);
		if (unset !== undefined) throw unreadable(property, unset);
		return written;
	}
	const from = `${type.slice(0, SHOWN_MAX)} "${String(value).slice(0, SHOWN_MAX)}"`;
	const unread = `${property} cannot be read from ${from}`;
	// Node-RED hands over the text itself for a type that it does not know, such as a variable that is not set. Every order
	// would then have the one name `payload.id`.
	if (!SOURCES.includes(type)) throw unreadable(property, unsetVariable(type, `${property}Type`) ?? unread);
	try {
		return await new Promise((resolve, reject) => {
			RED.util.evaluateNodeProperty(String(value ?? ''), type, node.self, message, (error, value: unknown) =>
				error ? reject(error) : resolve(value),
			);
		});
	} catch {
		throw unreadable(property, unread);
	}
}

/** The value of a variable, or its name where it has none, as a whole property has it then. */
function environmentValue(RED: NodeAPI, node: HostNode, name: string): unknown {
	const value: unknown = RED.util.evaluateNodeProperty(name, 'env', node.self, {});
	return value === '' ? `\${${name}}` : value;
}

const unreadable = (field: string, what: string): ExchangeError => new ExchangeError('invalid_input', { field, what });

const recordOf = (value: unknown): Record<string, unknown> | undefined =>
	typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value)
		? (value as Record<string, unknown>)
		: undefined;
