import { additions, type AdditionId } from './additions';
import type { Field, Fields } from './field';
import { options, type Option, type OptionId } from './options';
import type { Output, Shape } from './shape';

/** What a key must be allowed to do; `public` routes carry no key at all. (Interface, part 5.) */
export type Access = 'public' | 'exchangeRead' | 'orderCreate' | 'orderExecute' | 'walletRead' | 'recipients';

/** How the next page is asked for. Pages end on no progress: the service may cap them below what was asked. */
export type Paging = 'none' | 'offset' | 'before' | 'after_sequence';

export type Route = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** What a lost reply is followed by. */
export type Retry =
	/** The same request again: a read, or a write whose second sending changes nothing. */
	| 'safe'
	/** An error that says that the outcome is not known. */
	| 'never'
	/** A look at this list: an item equal in these fields is what was written. */
	| { verifyBy: ListedRecord }
	/** The same request again; a record that is no longer in this list is what was to be deleted. */
	| { deletedFrom: string };

interface ListedRecord {
	list: string;
	fields: readonly string[];
}

export type IntentKind = 'create' | 'cancel' | 'replace';
export type CommandAction = `order_${IntentKind}`;

/** How an operation is carried out. Each way has its own parts, and no others. */
export type Run =
	/**
	 * One request. `appearsLater`: what was just written may not be found at once, so a read looks again for a moment.
	 * `changesNothing`: a question, though it is not asked with GET.
	 */
	| { via: 'rest'; route: Route; retry: Retry; appearsLater?: true; changesNothing?: true }
	/** An order write: one identity, one journal entry, the same bytes on every attempt. */
	| { via: 'intent'; kind: 'create'; route: Route }
	/** No REST path of these is shown, so they travel on the stream. (Interface, part 4.) */
	| { via: 'intent'; kind: 'cancel' | 'replace' }
	/** A search of the order list. */
	| { via: 'lookup' }
	/** Answered by this process from what it knows; nothing is sent. */
	| { via: 'process' }
	/** A request to the control of the local sandbox, which stands beside the interface. */
	| { via: 'control'; control: `${'GET' | 'POST' | 'DELETE'} /_sandbox/${string}` };

/** One thing the service offers, described once. An entry is data: it says what, never how. */
export interface Operation {
	/** Title for people, in title case: "Create Order". */
	label: string;
	/** What choosing it does, as n8n shows it: "Create an order". */
	action: string;
	/** One sentence, without a final period. */
	help: string;
	run: Run;
	access: Access;
	/** Refused in production before any packet. */
	nonProduction?: true;
	/** Refused outside environment sandbox too. */
	sandboxOnly?: true;
	input: Fields;
	/** The behaviours a person may choose for it. */
	options?: readonly OptionId[];
	/** The shape of `data`, or of one item for a list. */
	output: Shape;
	/** The record that is read after a write, whose fields the answer carries too. */
	follows?: Shape;
	/** What the client adds to the answer. */
	adds?: readonly AdditionId[];
	/** Said where the interface does not show the answer. */
	outputNotShown?: string;
	list?: {
		/** Where the array stands in `data`; a bare array is accepted too. */
		at: string;
		/** The names an item's identity may have, most likely first. */
		identity: readonly string[];
		paging: Paging;
		/** Documented as a bare array in `data`; the others stand in an object. */
		bare?: true;
	};
	/** Where the records stand in a record that is a list with something around it: a host that counts items gives one each. */
	parts?: string;
	/** The fields of a large record that most people want, the one that identifies it first. */
	essentials?: readonly string[];
	/** The Node-RED palette node that offers it. */
	palette: string;
}

/** Method and path, of what travels over REST. */
export const routeOf = ({ run }: Pick<Operation, 'run'>): Route | undefined => ('route' in run ? run.route : undefined);

/** The action of what travels on the stream. */
export const commandOf = ({ run }: Pick<Operation, 'run'>): CommandAction | undefined =>
	run.via === 'intent' && run.kind !== 'create' ? `order_${run.kind}` : undefined;

/** Whether it places, cancels or replaces an order, and so has an identity. */
export const isOrderWrite = ({ run }: Pick<Operation, 'run'>): boolean => run.via === 'intent';

/** Whether a second sending would be a second one and nothing tells what became of the first, so it goes out once. */
export const isSentOnce = ({ run }: Pick<Operation, 'run'>): boolean => run.via === 'rest' && run.retry === 'never';

/** Method and path of what steers the sandbox, from its root. */
export const controlOf = ({ run }: Pick<Operation, 'run'>): string | undefined =>
	run.via === 'control' ? run.control : undefined;

/** Whether carrying it out only reads, over REST or at the control. */
export const isRead = (operation: Pick<Operation, 'run'>): boolean =>
	(routeOf(operation) ?? controlOf(operation))?.startsWith('GET ') === true;

/** Whether carrying it out may change anything at the service. */
export const isWrite = ({ run }: Operation): boolean =>
	run.via === 'intent' ||
	(run.via === 'rest' && !run.route.startsWith('GET ') && !run.changesNothing) ||
	(run.via === 'control' && !run.control.startsWith('GET '));

/** The fields of one record that a person may choose from. Where the answer is not shown, there may be others. */
function selectable(operation: Operation): readonly string[] {
	const { [operation.parts ?? '']: parts, ...around } = answerOf(operation) as Readonly<Record<string, Shape>>;
	const part = Array.isArray(parts) ? partsOf((parts as readonly [Shape])[0]) : {};
	return [...new Set([...Object.keys(part), ...Object.keys(around), ...(operation.essentials ?? [])])].sort();
}

/** An option as it is for one operation: what may be chosen of an answer depends on the answer. */
export function optionOf(operation: Operation, id: OptionId): Option {
	const option: Option = options[id];
	if (id !== 'output_fields') return option;
	return { ...option, values: selectable(operation), ...(operation.outputNotShown ? { mayHoldOthers: true } : {}) };
}

/** Keeps the literal types of an entry, so that client methods are typed from it. */
export const operation = <const O extends Operation>(entry: O): O => entry;

/** Everything an answer may carry: what the service answers, what the client adds, the record read after it. */
export function answerOf({ output, follows, adds = [] }: Operation): Shape {
	if (!follows && adds.length === 0) return output;
	const added = Object.fromEntries(adds.map((id) => [id, additions[id].shape]));
	return { ...partsOf(output), ...added, ...partsOf(follows) };
}

const partsOf = (shape: Shape = 'unspecified'): object => (typeof shape === 'string' ? {} : shape);

/** The same as a type. What is read or added may be missing: a dry run, for one, has none of it. */
export type AnswerOf<O> = O extends { output: infer S }
	? Output<S> & Omit<Followed<O>, keyof Output<S>> & Omit<Added<O>, keyof Output<S>>
	: never;
type Followed<O> = O extends { follows: infer S } ? Partial<Output<S>> : unknown;
type Added<O> = O extends { adds: readonly (infer Id extends AdditionId)[] }
	? { [K in Id]?: Output<(typeof additions)[K]['shape']> }
	: unknown;

/** A free JSON object merged over the known fields, for bodies the interface does not show. */
export const freeBody = (reason: string) =>
	({
		kind: 'json',
		label: 'Body',
		help: 'JSON object merged over the fields above, for fields the service accepts beyond them',
		example: '{}',
		assumed: reason,
		optional: true,
	}) as const satisfies Field;
