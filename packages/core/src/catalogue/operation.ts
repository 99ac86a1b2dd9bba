import { additions, type AdditionId } from './additions';
import type { Field, Fields } from './field';
import { options, type Option, type OptionId, type Options } from './options';
import type { Shape } from './shape';

/** The permission a key needs; `public` routes carry no key. (Interface, part 5.) */
export type Access = 'public' | 'exchangeRead' | 'orderCreate' | 'orderExecute' | 'walletRead' | 'recipients';

/**
 * How the next page is requested. A list ends where nothing new comes: the service may return fewer than asked for.
 */
export type Paging = 'none' | 'offset' | 'before' | 'after_sequence';

/** Method and path of a REST route, from the base URL: `GET /orders/{order_id}`. (Interface, part 1.) */
export type Route = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/** What the client does after a lost reply. */
export type Retry =
	/** Sends the same request again: a read, or a write that has no second effect. */
	| 'safe'
	/** Throws an error that says that the outcome is unknown. */
	| 'never'
	/** Reads this list: an item equal in these fields is the written record. */
	| { verifyBy: ListedRecord }
	/** Sends the same request again; the record counts as deleted when this list lacks it. */
	| { deletedFrom: string };

interface ListedRecord {
	list: string;
	fields: readonly string[];
}

/** What an order write does. */
export type IntentKind = 'create' | 'cancel' | 'replace';
/** The action of an order command on the stream. (Interface, part 6.) */
export type CommandAction = `order_${IntentKind}`;

/** What is computed from other operations. */
export type Composition = 'cancel_open' | 'estimate' | 'fill_summary';

/** How an operation is carried out. Each way has its own properties. */
export type Run =
	/**
	 * One request. `appearsLater`: a new record may not be readable at once, so a read is repeated for a moment.
	 * `changesNothing`: a read, although it is not sent as GET.
	 */
	| { via: 'rest'; route: Route; retry: Retry; appearsLater?: true; changesNothing?: true }
	/** An order write: one identity, one journal entry, the same bytes on every attempt. */
	| { via: 'intent'; kind: 'create'; route: Route }
	/** The interface shows no REST path for these, so they are sent over the stream. (Interface, part 4.) */
	| { via: 'intent'; kind: 'cancel' | 'replace' }
	/**
	 * Computed from other operations, `of`, each of which is called as anybody calls it. `acts`: one of them changes
	 * something.
	 */
	| { via: 'composed'; as: Composition; of: readonly string[]; acts?: true }
	/** A search of the order list. */
	| { via: 'lookup' }
	/** Answered from the state of this process; nothing is sent. */
	| { via: 'process' }
	/** A request to the control of the local sandbox, which is not part of the interface. */
	| { via: 'control'; control: `${'GET' | 'POST' | 'DELETE'} /_sandbox/${string}` };

/** One operation of the service, described once. An entry is data and holds no behaviour. */
export interface Operation {
	/** Title for people, in title case: "Create Order". */
	label: string;
	/** What the operation does, as n8n shows it, without articles: "Create order". */
	action: string;
	/** One sentence, without a final period. */
	help: string;
	/** How the operation is carried out. */
	run: Run;
	/** The permission the key needs. */
	access: Access;
	/** Refused in production before any request. */
	nonProduction?: true;
	/** Also refused outside environment sandbox. */
	sandboxOnly?: true;
	/** The inputs, by the service's field name. */
	input: Fields;
	/** The options that apply to the operation. */
	options?: readonly OptionId[];
	/** Options that a form sets where a person sets none: a flow takes an answer for what became of the matter. */
	inForms?: Options;
	/** The shape of `data`, or of one item for a list. */
	output: Shape;
	/** The record read after a write, whose fields are part of the answer. */
	follows?: Shape;
	/** The fields the client adds to the answer. */
	adds?: readonly AdditionId[];
	/** The answer is a success only where it names the holder of the account that was asked for. */
	confirms?: 'holder';
	/** Explains the output when the interface does not show the answer. */
	outputNotShown?: string;
	/** Present when the answer is a list. */
	list?: {
		/** The field of `data` that holds the array; none where `data` is documented as the array itself. */
		at?: string;
		/** The first of these fields that a row has identifies it: no two rows share it. `[]` means the whole row. */
		identifiedByFirstOf: readonly string[];
		/** A field that tells rows of one identifier apart, as one trade may fill two orders of an account. */
		identifiedWith?: string;
		paging: Paging;
	};
	/**
	 * The field that holds the records, when an answer is a list with fields around it: a host that works with items
	 * emits one per record.
	 */
	parts?: string;
	/** The fields of a large record that most people want; the first one identifies the record. */
	essentials?: readonly string[];
	/** The Node-RED palette node that offers it. */
	palette: string;
}

/** Method and path of an operation sent over REST; undefined for any other. */
export const routeOf = ({ run }: Pick<Operation, 'run'>): Route | undefined => ('route' in run ? run.route : undefined);

/** The action of an operation sent over the stream; undefined for any other. */
export const commandOf = ({ run }: Pick<Operation, 'run'>): CommandAction | undefined =>
	run.via === 'intent' && run.kind !== 'create' ? `order_${run.kind}` : undefined;

/** Whether the operation places, cancels or replaces an order, and so has an identity. */
export const isOrderWrite = ({ run }: Pick<Operation, 'run'>): boolean => run.via === 'intent';

/** Whether each call makes an order of its own. */
export const makesAnOrder = ({ run }: Pick<Operation, 'run'>): boolean => run.via === 'intent' && run.kind === 'create';

/**
 * Whether the operation is sent only once: a second request would act again, and nothing shows the outcome of the
 * first.
 */
export const isSentOnce = ({ run }: Pick<Operation, 'run'>): boolean => run.via === 'rest' && run.retry === 'never';

/** Method and path of a control request, from the root of the sandbox; undefined for any other operation. */
export const controlOf = ({ run }: Pick<Operation, 'run'>): string | undefined =>
	run.via === 'control' ? run.control : undefined;

/** Whether the operation only reads, over REST, from the control, or by others that only read. */
export const isRead = (operation: Pick<Operation, 'run'>): boolean =>
	(operation.run.via === 'composed' && !operation.run.acts) ||
	(routeOf(operation) ?? controlOf(operation))?.startsWith('GET ') === true;

/** Whether the operation may change anything at the service. */
export const isWrite = ({ run }: Operation): boolean =>
	run.via === 'intent' ||
	(run.via === 'composed' && run.acts === true) ||
	(run.via === 'rest' && !run.route.startsWith('GET ') && !run.changesNothing) ||
	(run.via === 'control' && !run.control.startsWith('GET '));

/** The fields of a record that a person may select. When the answer is not shown, there may be others. */
function selectable(operation: Operation): readonly string[] {
	const { [operation.parts ?? '']: parts, ...around } = fieldsOfShape(answerOf(operation)) as Readonly<
		Record<string, Shape>
	>;
	const part = Array.isArray(parts) ? fieldsOfShape((parts as readonly [Shape])[0]) : {};
	return [...new Set([...Object.keys(part), ...Object.keys(around), ...(operation.essentials ?? [])])].sort();
}

/** An option as it applies to one operation: the fields to choose from depend on its answer. */
export function optionOf(operation: Operation, id: OptionId): Option {
	const option: Option = options[id];
	const preset = operation.inForms?.[id];
	if (preset !== undefined && preset !== null) return { ...option, preset };
	if (id !== 'output_fields') return option;
	return { ...option, values: selectable(operation), ...(operation.outputNotShown ? { mayHoldOthers: true } : {}) };
}

/** The options of a call from a form: what a person chose, and what the form sets where nothing was chosen. */
export const optionsOfForm = ({ inForms }: Operation, chosen: Options): Options => ({ ...inForms, ...chosen });

/** Keeps the literal types of an entry, so that client methods are typed from it. */
export const operation = <const O extends Operation>(entry: O): O => entry;

/** The shape of the complete answer: the service's answer, the fields the client adds, and the record read after it. */
export function answerOf({ output, follows, adds = [] }: Operation): Shape {
	if (!follows && adds.length === 0) return output;
	const added = Object.fromEntries(adds.map((id) => [id, additions[id].shape]));
	return { ...fieldsOfShape(output), ...added, ...fieldsOfShape(follows) };
}

const fieldsOfShape = (shape: Shape = 'unspecified'): object => (typeof shape === 'string' ? {} : shape);

/** A free JSON object merged over the known fields, for bodies the interface does not show. */
export const freeBody = (reason: string) =>
	({
		kind: 'json',
		label: 'More Fields (JSON)',
		help: 'JSON object merged over the fields above, for fields the service accepts beyond them',
		example: '{}',
		assumed: reason,
		optional: true,
		aside: true,
	}) as const satisfies Field;
