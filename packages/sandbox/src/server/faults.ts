import { commandOf, operationIds, operationOf, routeOf, type OperationId } from '@partner-exchange/core/catalogue';
import { invalid } from '../engine/refusal';
import { acceptFields, type ObjectSchema } from './schema';

/** The kinds of faults, named by their effect: in words, and what each applies to. */
export const faultKinds = {
	refuse: { about: 'Answers 503; nothing was done', strikes: ['request'] },
	delay: { about: 'Waits before anything is done; the idempotency key counts as in flight', strikes: ['request'] },
	'drop-before-commit': { about: 'Closes the connection; nothing was done', strikes: ['request', 'command'] },
	'commit-then-drop': {
		about: 'Does what was asked, then closes the connection without an answer',
		strikes: ['request', 'command'],
	},
	hang: { about: 'Never answers; nothing was done', strikes: ['request', 'command'] },
	'commit-then-hang': { about: 'Does what was asked and never answers', strikes: ['request', 'command'] },
	'commit-then-delay': { about: 'Does what was asked and answers late', strikes: ['request'] },
	truncate: { about: 'Does what was asked and breaks off in the middle of the answer', strikes: ['request'] },
	'html-502': { about: 'Answers 502 with a page of HTML; nothing was done', strikes: ['request'] },
	'commit-then-502': { about: 'Does what was asked, then answers 502 with a page of HTML', strikes: ['request'] },
	'server-error': { about: 'Answers 500; nothing was done', strikes: ['request'] },
	unauthorized: { about: 'Answers 401; nothing was done', strikes: ['request'] },
	forbidden: { about: 'Answers 403; nothing was done', strikes: ['request'] },
	conflict: { about: 'Answers 409; nothing was done', strikes: ['request'] },
	'too-many-requests': {
		about: 'Answers 429, with Retry-After where one is given; nothing was done',
		strikes: ['request'],
	},
	'drop-stream': { about: 'Closes stream connections', strikes: ['connection'] },
	'silence-stream': { about: 'Stream connections stay open and say nothing more', strikes: ['connection'] },
	'refuse-stream': { about: 'Refuses new stream connections with 503', strikes: ['upgrade'] },
	'refuse-resume': { about: 'Forgets what the stream could replay', strikes: ['log'] },
	'new-epoch': { about: 'Starts a new stream epoch on live connections', strikes: ['log'] },
	'duplicate-event': { about: 'Sends an event twice', strikes: ['event'] },
	'reorder-events': { about: 'Sends an event after its successor', strikes: ['event'] },
	'skip-event': { about: 'Leaves an event out', strikes: ['event'] },
} as const satisfies Record<string, { about: string; strikes: readonly [Struck, ...Struck[]] }>;

type Struck = 'request' | 'command' | 'event' | 'upgrade' | 'connection' | 'log';

export type FaultKind = keyof typeof faultKinds;

/** What each kind does, in words. */
export const faultTexts = Object.fromEntries(Object.entries(faultKinds).map(([kind, { about }]) => [kind, about]));

/** The kinds that apply to a target, so that the compiler checks that the code for this target handles all of them. */
export type KindStriking<What extends Struck> = {
	[Kind in FaultKind]: What extends (typeof faultKinds)[Kind]['strikes'][number] ? Kind : never;
}[FaultKind];

export const kindsStriking = <What extends Struck>(struck: What): KindStriking<What>[] =>
	(Object.keys(faultKinds) as KindStriking<What>[]).filter((kind) =>
		(faultKinds[kind].strikes as readonly Struck[]).includes(struck),
	);

export interface FaultRequest {
	kind: FaultKind;
	/** Conditions: all given fields must match; a fault without any matches everything. */
	operation?: OperationId;
	/** The route as the interface writes it: `POST /partner/exchange/orders`. */
	route?: string;
	apiKey?: string;
	idempotencyKey?: string;
	topic?: string;
	/** How many matches the fault applies to before it is removed; default 1. */
	times?: number;
	/** How many matches are skipped first. */
	after?: number;
	delayMs?: number;
	retryAfter?: string;
}

export interface Fault<Kind extends FaultKind = FaultKind> extends FaultRequest {
	kind: Kind;
	id: number;
	times: number;
	after: number;
	fired: number;
}

/** What an armed fault may be narrowed to. */
const places = ['operation', 'route', 'apiKey', 'idempotencyKey', 'topic'] as const;

/** A request, command or event to compare with the armed faults. */
export type FaultTarget = { [Place in (typeof places)[number]]?: FaultRequest[Place] | undefined };

export interface FiredFault {
	kind: FaultKind;
	id: number;
	at: number;
	operation?: OperationId | undefined;
}

const ARMED_MAX = 100;
const FIRED_KEPT_MAX = 1_000;

export interface Faults {
	armed: Fault[];
	fired: FiredFault[];
	arm(request: FaultRequest): Fault;
	disarm(id?: number): void;
	/** Returns the first armed fault of these kinds that matches the target, and counts it as applied. */
	strike<Kind extends FaultKind>(kinds: readonly Kind[], target: FaultTarget): Fault<Kind> | undefined;
}

export function createFaults(now: () => number): Faults {
	const faults: Faults = { armed: [], fired: [], arm, disarm, strike };
	let count = 0;
	function arm(request: FaultRequest): Fault {
		acceptFields(request as unknown as Record<string, unknown>, faultSchema);
		if (faults.armed.length >= ARMED_MAX) throw invalid('too_many_faults', `At most ${ARMED_MAX} faults can be armed.`);
		const fault: Fault = {
			...request,
			id: ++count,
			times: request.times ?? 1,
			after: request.after ?? 0,
			fired: 0,
		};
		faults.armed.push(fault);
		return fault;
	}
	function disarm(id?: number) {
		faults.armed = id === undefined ? [] : faults.armed.filter((fault) => fault.id !== id);
	}
	function strike<Kind extends FaultKind>(kinds: readonly Kind[], target: FaultTarget): Fault<Kind> | undefined {
		for (const fault of faults.armed) {
			if (!strikes(kinds, fault) || !matches(fault, target)) continue;
			if (fault.after > 0) {
				fault.after--;
				continue;
			}
			fault.fired++;
			if (fault.fired >= fault.times) disarm(fault.id);
			if (
				faults.fired.push({ kind: fault.kind, id: fault.id, at: now(), operation: target.operation }) > FIRED_KEPT_MAX
			)
				faults.fired.shift();
			return fault;
		}
		return undefined;
	}
	return faults;
}

const strikes = <Kind extends FaultKind>(kinds: readonly Kind[], fault: Fault): fault is Fault<Kind> =>
	(kinds as readonly FaultKind[]).includes(fault.kind);

const routes = operationIds.flatMap((id) => routeOf(operationOf(id)) ?? []);
/** Operations with a request or command of their own; a fault for any other would never apply. */
const strikable = operationIds.filter((id) => routeOf(operationOf(id)) ?? commandOf(operationOf(id)));
const TIMES_MAX = 1_000_000;
const DELAY_MS_MAX = 86_400_000;

/** Schema of a fault request. An unknown operation is refused, because such a fault would never apply. */
export const faultSchema: ObjectSchema = {
	type: 'object',
	properties: {
		kind: { type: 'string', enum: Object.keys(faultKinds) },
		operation: { type: 'string', enum: strikable, description: 'Strikes this operation only' },
		route: { type: 'string', enum: routes, description: 'Strikes this route only, as the interface writes it' },
		apiKey: { type: 'string', maxLength: 256, description: 'Strikes requests and connections with this key only' },
		idempotencyKey: { type: 'string', maxLength: 256, description: 'Strikes the write with this key only' },
		topic: { type: 'string', maxLength: 128, description: 'Strikes events of this topic only' },
		times: { type: 'integer', minimum: 1, maximum: TIMES_MAX, description: 'How often it strikes; 1 when absent' },
		after: { type: 'integer', maximum: TIMES_MAX, description: 'How many matches it lets pass first' },
		delayMs: { type: 'integer', maximum: DELAY_MS_MAX, description: 'How long delays last; 1000 when absent' },
		retryAfter: {
			type: 'string',
			maxLength: 64,
			pattern: '^[\\x20-\\x7e]*$',
			description: 'a text of plain characters, as it goes into the header Retry-After',
		},
	},
	required: ['kind'],
};

const matches = (fault: Fault, target: FaultTarget): boolean =>
	places.every((place) => fault[place] === undefined || fault[place] === target[place]);
