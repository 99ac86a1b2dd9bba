import { TransportError, type HttpRequest, type Item, type SendHttp } from '@partner-exchange/core';
import type { Options } from '@partner-exchange/core/catalogue';
import { orderPolicy, orderMachine, type Machine, type Policy } from '@partner-exchange/core/testing';
import { withoutGuards } from './guards';
import type { NamingPlant } from './naming';
import { withSeeds, type Planted } from '../support/suite';
import { seeds } from './plant-seeds';
import type { Call } from './record';

type State = Parameters<Machine['step']>[0];
type Input = Parameters<Machine['step']>[1];
type Step = ReturnType<Machine['step']>;

/** A defect planted in the client to verify that the simulation detects it. Without any, the client runs as shipped. */
export interface Plant extends Planted {
	machine?: Machine;
	send?: (send: SendHttp, call: Call) => SendHttp;
	/** Changes the fields of an outgoing command. */
	command?: (fields: Item, transmission: number) => Item;
	/** Changes the host's options for the order. */
	options?: (value: Options) => Options;
	/** Every call starts with empty memory. */
	forgets?: boolean;
	/** Measures durations on the wall clock, which can be set. */
	onWallClock?: boolean;
	/** Replaces the intent's name by another one. */
	name?: (intent: string, host: { key: string; life: number }) => string;
	/** Replaces the names the hosts derive. */
	naming?: NamingPlant;
}

const real = orderMachine();

/** The shipped machine with falsified reports. */
const report = (change: (input: Input, state: State) => Input): Plant => ({
	machine: { policy: real.policy, step: (state, input) => real.step(state, change(input, state)) },
});

/** The shipped machine with falsified effects. */
const doing = (change: (step: Step, input: Input, state: State) => Step): Plant => ({
	machine: { policy: real.policy, step: (state, input) => change(real.step(state, input), input, state) },
});

const believing = (change: Partial<Policy>): Plant => ({ machine: orderMachine({ ...orderPolicy(), ...change }) });

const refusedWhen = (matches: (attempt: Extract<Input, { type: 'attempted' }>['attempt']) => boolean): Plant =>
	report((input) => {
		if (input.type !== 'attempted' || input.attempt.proof === 'done' || !matches(input.attempt)) return input;
		return { ...input, attempt: { proof: 'refused', error: input.attempt.error } };
	});

const failed = (code: string): Plant =>
	refusedWhen((answer) => answer.proof === 'unknown' && answer.error.code === code);

type Proof = Extract<Input, { type: 'attempted' }>['attempt']['proof'];

/** Changes the reaction to such a response when an earlier attempt may have succeeded. */
const inDoubtAt = (proof: Proof, change: (step: Step) => Step): Plant =>
	doing((step, input, { ambiguous }) =>
		ambiguous && input.type === 'attempted' && input.attempt.proof === proof ? change(step) : step,
	);

/** Treats the certain result of one attempt as that of all attempts. */
const forgettingDoubtAt = (proof: Proof): Plant => ({
	machine: {
		policy: real.policy,
		step: (state, input) =>
			real.step(
				input.type === 'attempted' && input.attempt.proof === proof ? { ...state, ambiguous: false } : state,
				input,
			),
	},
});

/** Changes every order request of a call after its first. */
const onRetry =
	(change: (request: HttpRequest, body: Item, attempt: number) => HttpRequest): Plant['send'] =>
	(send, call) =>
	(request) => {
		if (request.method !== 'POST' || call.sends.length === 0) return send(request);
		return send(change(request, JSON.parse(request.body!) as Item, call.sends.length));
	};

const priceOf = ({ subject }: Call): string => subject.split('@')[1] ?? '';

/** The orders as seen by a client that checks too few of their fields. */
const rewriting =
	(send: SendHttp, change: (order: Item) => Item): SendHttp =>
	async (request) => {
		const response = await send(request);
		if (request.method !== 'GET' || response.status !== 200) return response;
		const parsed = JSON.parse(response.body) as { data: Item & { orders?: Item[] } };
		const { data } = parsed;
		const seen = data.orders ? { ...data, orders: data.orders.map(change) } : change(data);
		return { ...response, body: JSON.stringify({ ...parsed, data: seen }) };
	};

const inFile =
	(file: string) =>
	(find: string, replace: string): Plant => ({ patch: { file, find, replace } });
const inEvidence = inFile('orders/log/evidence.ts');
const inList = inFile('orders/log/order-list.ts');

const bugs = {
	newKeyOnRetry: {
		send: onRetry((request, body, attempt) => {
			const key = `${String(body.idempotency_key)}-${attempt}`;
			return {
				...request,
				headers: { ...request.headers, 'idempotency-key': key },
				body: JSON.stringify({ ...body, idempotency_key: key }),
			};
		}),
	},
	newKeyOnRepeatedCommand: {
		command: (fields, transmission) => ({
			...fields,
			idempotency_key: `${String(fields.idempotency_key)}-${transmission}`,
		}),
	},
	reordersBodyOnRetry: {
		send: onRetry((request, body) => ({
			...request,
			body: JSON.stringify(Object.fromEntries(Object.entries(body).reverse())),
		})),
	},
	failsOnServerError: failed('unavailable'),
	failsOnTimeout: failed('timeout'),
	failsOnBrokenBody: failed('malformed_response'),
	conflictIsRefusal: refusedWhen(({ proof }) => proof === 'conflict'),
	refusalIsFinalInDoubt: believing({ refusalIsFinal: () => true }),
	absenceIsRefusal: doing((step, input, state) => {
		const unseen = input.type === 'looked_up' && input.lookup.is === 'absent' && state.phase === 'looking_up';
		return unseen && state.error
			? { state, effect: { do: 'end', outcome: { is: 'refused', error: state.error } } }
			: step;
	}),
	failedReadingIsRefusal: doing((step, input, state) => {
		const unread = input.type === 'looked_up' && input.lookup.is === 'failed' && state.phase === 'looking_up';
		return unread && state.error
			? { state, effect: { do: 'end', outcome: { is: 'refused', error: state.error } } }
			: step;
	}),
	sendsAfterCrash: believing({ firstStep: () => 'check' }),
	sendsBeforeRecording: doing((step) =>
		step.effect.do === 'record' ? real.step(step.state, { type: 'recorded', at: 0, chance: 0 }) : step,
	),
	sendsAfterEvidence: doing((step, input) =>
		input.type === 'looked_up' && input.lookup.is === 'found' ? { state: step.state, effect: { do: 'send' } } : step,
	),
	sendsForEver: believing({ attemptsMax: 1_000, mayResend: () => true, conclusiveMs: 0, isConclusive: () => true }),
	acceptsAnotherOrder: report((input) =>
		input.type === 'looked_up' && input.lookup.is === 'conflict'
			? { ...input, lookup: { is: 'found', result: { order_id: input.lookup.error.details.order_id } } }
			: input,
	),
	acceptsEmptySuccess: report((input) =>
		input.type === 'attempted' && input.attempt.proof === 'unknown' && input.attempt.error.code === 'malformed_response'
			? { ...input, attempt: { proof: 'done', result: { status: 'pending' } } }
			: input,
	),
	failedLookupIsAbsence: report((input) =>
		input.type === 'looked_up' && input.lookup.is === 'failed'
			? { ...input, lookup: { is: 'absent', complete: true } }
			: input,
	),
	gapIsAbsence: report((input) =>
		input.type === 'looked_up' && input.lookup.is === 'absent'
			? { ...input, lookup: { is: 'absent', complete: true } }
			: input,
	),
	refusalClosesAtOnce: believing({ refusalIsFinal: ({ ambiguous }) => !ambiguous }),
	unknownWordIsRefusal: report((input) =>
		input.type === 'attempted' && input.attempt.proof === 'unknown' && input.attempt.error.serviceCode !== undefined
			? { ...input, attempt: { ...input.attempt, proof: 'refused' } }
			: input,
	),
	brokenPipeIsNeverSent: {
		send: (send) => (request) =>
			send(request).catch((error: unknown) => {
				throw error instanceof TransportError ? new TransportError('refused', 'never') : error;
			}),
	},
	priceIsNotCompared: { send: (send, call) => rewriting(send, (order) => ({ ...order, price: priceOf(call) })) },
	everySuccessorIsOurs: {
		send: (send, call) =>
			rewriting(send, (order) => ({ ...order, client_order_id: undefined, price: priceOf(call), quantity: undefined })),
	},
	failedReadingEndsTheSearch: report((input) =>
		input.type === 'looked_up' && input.lookup.is === 'failed' && input.lookup.error.code === 'unavailable'
			? { ...input, lookup: { ...input.lookup, lasting: true } }
			: input,
	),
	resendsInDoubtWhenLimited: inDoubtAt('limited', (step) =>
		step.effect.do === 'pause' ? { ...step, state: { ...step.state, phase: 'before_sending' } } : step,
	),
	refusalForgetsDoubt: forgettingDoubtAt('refused'),
	limitForgetsDoubt: forgettingDoubtAt('limited'),
	unsentForgetsDoubt: forgettingDoubtAt('unsent'),
	guardsNeedMarketCheck: { options: (value) => (value.check_market ? value : withoutGuards(value)) },
	stoppedMeansUnsent: doing((step, input) =>
		input.type === 'stopped' ? { state: step.state, effect: { do: 'end', outcome: { is: 'stopped' } } } : step,
	),
	ignoresRetryAfter: doing((step) =>
		step.effect.do === 'pause'
			? { ...step, effect: { do: 'pause', delayMs: Math.min(step.effect.delayMs, 900) } }
			: step,
	),
	neverLooksFirst: believing({ firstStep: ({ earlier }) => (earlier ? 'look_up' : 'check') }),
	waitsOnTheWallClock: { onWallClock: true },
	forgetsDoubt: { forgets: true },
	toolsAreNodes: { naming: { toolsAreNodes: true } },
	retriedExecutionIsNew: { naming: { forgetsExecution: true } },
	retriesNameThemselves: { naming: { forgetsNames: true } },
	itemsShareAName: { naming: { itemsAreOne: true } },
	identityHoldsTheKey: { name: (intent, { key }) => `${intent} ${key}` },
	identityHoldsTheRun: { name: (intent, { life }) => `${intent} ${life}` },
	traceTakesThePlaceOfTheKey: {
		patch: {
			file: 'orders/plan.ts',
			find: 'const fields = business_key\n',
			replace: 'const fields = business_key && accepted.client_order_id === undefined\n',
		},
	},
	shortenedNameIsAnothers: inEvidence(
		"return [identity, identity.replaceAll('-', '').slice(0, KEY_DIGITS)];",
		'return [identity];',
	),
	stopIsReadAtFirst: inFile('orders/handlers/index.ts')('\t\thost.limits?.assertRunning(limited);\n', ''),
	unreadIsRefused: {
		patch: {
			file: 'orders/machine/on-lookup.ts',
			find: "if (lasting || late || state.lookups >= policy.attemptsMax) return end(state, { is: 'unknown', error, unseen: true });",
			replace:
				"if (lasting || late || state.lookups >= policy.attemptsMax) return end(state, { is: 'refused', error });",
		},
	},
	deniesTooEarly: {
		patch: {
			file: 'orders/resolve.ts',
			find: 'const isLate = (): boolean => ports.clock.elapsed() >= certainAt;',
			replace: 'const isLate = (): boolean => true;',
		},
	},
	limitsForgetWithTheProcess: {
		patch: {
			file: 'orders/limits/placed-count.ts',
			find: 'if (spanMs === 0) return undefined;',
			replace: 'if (spanMs >= 0) return undefined;',
		},
	},
	unreadListIsEmpty: {
		patch: {
			file: 'orders/limits/account-limits.ts',
			find: 'const gap = await count.read(windows, source, order);',
			replace: 'const gap = (await count.read(windows, source, order)) && undefined;',
		},
	},
	correctedOrdersAreAdmitted: {
		patch: {
			file: 'orders/limits/placed-count.ts',
			find: '`${key} ${digest}`;',
			replace: '`${key} ${digest}`.slice(0, key.length);',
		},
	},
	rereadsNothingYoung: inEvidence('wholeUntil - APPEARS_AFTER_MS;', 'wholeUntil;'),
	leftSearchIsWhole: inList(
		'log.begun = end?.isOpen || (isFirst && !end) ? search : undefined;\n\t\tif (!end) return {};',
		'log.begun = undefined;\n\t\tend ??= {};',
	),
	begunSearchIsNew: inList('search.beganAt >= askedAt) return', 'search.beganAt >= 0) return'),
	openOrdersAreAll: {
		patch: {
			file: 'orders/log/search.ts',
			find: "if (status !== '' && log.showsFinal) break;",
			replace: "if (status !== '') break;",
		},
	},
	journalIsOfOneAccount: inFile('orders/journal.ts')('!isOwnedBy(other, owner);', 'false;'),
	addressIsNoAccount: inFile('orders/journal.ts')(
		'owner.address === address && owner.key === key;',
		'owner.key === key;',
	),
	retriesForgetWhatEnded: {
		patch: {
			file: 'nodes/shared/action/intent.ts',
			find: "= ['time_limit', 'unfilled', 'rejected'];",
			replace: '= [];',
		},
	},
	looksForAHundred: {
		patch: {
			file: 'orders/background-lookups.ts',
			find: 'if (running.has(key) || waiting.has(key) || waiting.size >= WAITING_MAX) return;',
			replace: 'if (running.has(key) || waiting.has(key) || running.size >= BACKGROUND_LOOKUPS_MAX) return;',
		},
	},
} satisfies { readonly [name: string]: Plant };

export const plants = withSeeds<Plant>(bugs, seeds);
