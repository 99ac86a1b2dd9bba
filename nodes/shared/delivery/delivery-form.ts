import { readField } from '@partner-exchange/core/adapters';
import type { ListenerField } from '@partner-exchange/core/catalogue';
import type { EventOutput } from './outputs';
import { PAUSE_SECONDS, PAUSE_SECONDS_MAX, TRIES_MAX, type Afterwards, type FailurePolicy } from './failure';

/** Events that arrive during an execution go into the next one together, at most this many. */
const EVENTS_PER_EXECUTION = 1_000;
/** A form takes no larger batch, because one execution that holds everything would be too much for a workflow. */
const EVENTS_PER_EXECUTION_MAX = 10_000;
/**
 * An execution that takes longer counts as lost. Longer pauses belong in a Wait node, at which it ends for the trigger.
 */
const EXECUTION_SECONDS = 300;
/** Time n8n needs to end an execution that exceeded the timeout of its workflow. */
const TIMEOUT_GRACE_SECONDS = 30;

/** How events are delivered to the workflow, and what happens to them when it fails. */
export interface DeliveryParameters {
	notices: boolean;
	batchMax: number;
	/** Undefined when the rate is not limited. */
	eventsPerSecond: number | undefined;
	executionMsMax: number;
	failure: FailurePolicy;
	output: EventOutput;
}

/** How much of an event the workflow gets. */
export const outputField = {
	kind: 'choice',
	label: 'Output',
	help: 'How much of each event to return',
	values: ['simple', 'whole'] satisfies EventOutput[],
	named: {
		simple: { label: 'Simple', help: 'The fields of the order, fill or trade, with the topic and the eventKey' },
		whole: { label: 'Whole', help: 'The same fields under data, with the position and the time of the message' },
	},
	default: 'simple',
} as const satisfies ListenerField;

/** What n8n asks besides the catalogue: how events become executions. */
export const deliveryFields = {
	tries: {
		kind: 'integer',
		label: 'Tries per Event',
		help: `How often events are handed over while the workflow fails, at most ${TRIES_MAX}; failed executions can also be retried by hand`,
		min: 1,
		max: TRIES_MAX,
		default: 1,
		begins: 3,
	},
	pauseSeconds: {
		kind: 'integer',
		label: 'Pause Between Tries (Seconds)',
		help: `How long to wait after the first failed try; each further pause is twice as long, up to ${PAUSE_SECONDS_MAX} seconds`,
		min: 1,
		max: PAUSE_SECONDS_MAX,
		default: PAUSE_SECONDS,
	},
	whenTriesFail: {
		kind: 'choice',
		label: 'When All Tries Fail',
		help: 'What becomes of events for which the workflow failed as often as Tries per Event says',
		values: ['continue', 'failedEvents', 'stop'] satisfies Afterwards[],
		named: {
			continue: {
				label: 'Continue',
				help: 'The events count as delivered; the failed execution is in the list',
			},
			failedEvents: {
				label: 'Send to Failed Events',
				help: 'The events leave through a second output, with the reason, and count as delivered',
			},
			stop: {
				label: 'Stop Here Until It Succeeds',
				help: 'Later events wait; the same ones are tried again and again, at the longest pause',
			},
		},
		default: 'continue',
		begins: 'failedEvents',
	},
	connectionNotices: {
		kind: 'boolean',
		label: 'Emit Connection Notices',
		help: 'Whether to start the workflow also when the connection changes, through the output Notices, with the topic "connection"; gaps are reported there anyway',
		default: false,
	},
	eventsPerExecution: {
		kind: 'integer',
		label: 'Events per Execution',
		help: `How many events that arrived while the workflow was busy go into one execution, at most ${EVENTS_PER_EXECUTION_MAX}; 1 gives each event its own`,
		min: 1,
		max: EVENTS_PER_EXECUTION_MAX,
		default: EVENTS_PER_EXECUTION,
		begins: 1,
	},
	eventsPerSecond: {
		kind: 'integer',
		label: 'Events per Second',
		help: 'How many events start executions in one second at most; the others wait their turn and none is dropped',
		min: 1,
		default: 10,
	},
	executionSeconds: {
		kind: 'integer',
		label: 'Longest Execution (Seconds)',
		help: 'When an execution in queue mode counts as lost, and its events are handed over again; set it above what the workflow takes',
		min: 1,
		default: EXECUTION_SECONDS,
	},
} as const satisfies Record<string, ListenerField>;

/** `workflowSeconds` is the execution timeout in the settings of the workflow. */
export function readDelivery(stored: Record<string, unknown>, workflowSeconds: unknown): DeliveryParameters {
	const read = (name: keyof typeof deliveryFields): unknown => readField(name, deliveryFields[name], stored[name]);
	const isAdded = (name: keyof typeof deliveryFields): boolean => stored[name] !== undefined;
	// These two have no effect before they are added, so their defaults are what the form begins with.
	const eventsPerSecond = isAdded('eventsPerSecond') ? Number(read('eventsPerSecond')) : undefined;
	const executionSeconds = isAdded('executionSeconds') ? Number(read('executionSeconds')) : secondsFor(workflowSeconds);
	return {
		notices: read('connectionNotices') === true,
		batchMax: Math.min(Number(read('eventsPerExecution')), eventsPerSecond ?? EVENTS_PER_EXECUTION_MAX),
		eventsPerSecond,
		executionMsMax: 1_000 * executionSeconds,
		output: readField('output', outputField, stored['output']) as EventOutput,
		failure: {
			tries: Number(read('tries')),
			pauseSeconds: Number(read('pauseSeconds')),
			afterwards: read('whenTriesFail') as Afterwards,
		},
	};
}

/** The timeout set for the workflow takes precedence when it is longer than the default. */
function secondsFor(workflowSeconds: unknown): number {
	const own = Number.isSafeInteger(workflowSeconds) && Number(workflowSeconds) > 0 ? Number(workflowSeconds) : 0;
	return own === 0 ? EXECUTION_SECONDS : Math.max(EXECUTION_SECONDS, own + TIMEOUT_GRACE_SECONDS);
}
