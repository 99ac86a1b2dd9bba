import type { INodeProperties } from 'n8n-workflow';
import { ExchangeError } from '@partner-exchange/core';
import { readSwitch } from '@partner-exchange/core/adapters';
import {
	afterwards,
	PAUSE_SECONDS,
	PAUSE_SECONDS_MAX,
	TRIES_MAX,
	type Afterwards,
	type FailurePolicy,
} from './failure';
import { countOf } from '../form/strict';

/** Events that arrive during an execution go into the next one together, at most this many. */
const EVENTS_PER_EXECUTION = 1_000;
const EVENTS_PER_EXECUTION_MAX = 10_000;
/**
 * An execution that takes longer counts as lost. Longer pauses belong in a Wait node, at which it ends for the trigger.
 */
const EXECUTION_SECONDS = 300;
/** Time n8n needs to end an execution that exceeded the timeout of its workflow. */
const TIMEOUT_GRACE_SECONDS = 30;

/** How events are delivered to the workflow, and what happens to them when it fails. */
export interface DeliveryParameters {
	deliverMissed: boolean;
	notices: boolean;
	batchMax: number;
	/** Undefined when the rate is not limited. */
	eventsPerSecond: number | undefined;
	executionMsMax: number;
	failure: FailurePolicy;
}

export const deliveryChoices = (): INodeProperties[] => [...failureChoices, ...contentChoices, ...paceChoices];

const labels = {
	deliverMissed: 'Deliver Missed Events',
	connectionNotices: 'Emit Connection Notices',
	eventsPerExecution: 'Events per Execution',
	eventsPerSecond: 'Events per Second',
	executionSeconds: 'Longest Execution (Seconds)',
	pauseSeconds: 'Pause Between Tries (Seconds)',
	tries: 'Tries per Event',
	whenTriesFail: 'When All Tries Fail',
} as const;

type Name = keyof typeof labels;

const contentChoices: INodeProperties[] = [
	{
		displayName: labels.deliverMissed,
		name: 'deliverMissed',
		type: 'boolean',
		default: true,
		description: 'Whether to deliver what happened while the workflow was not running',
	},
	{
		displayName: labels.connectionNotices,
		name: 'connectionNotices',
		type: 'boolean',
		default: false,
		description:
			'Whether to start the workflow also when the connection changes, through the output Notices, with the topic "connection"; gaps are told there anyway',
	},
];

const paceChoices: INodeProperties[] = [
	count(
		'eventsPerExecution',
		EVENTS_PER_EXECUTION,
		`How many events that arrived while the workflow was busy go into one execution, at most ${EVENTS_PER_EXECUTION_MAX}; 1 gives each event its own`,
	),
	count(
		'eventsPerSecond',
		10,
		'How many events start executions in one second at most; the others wait their turn and none is dropped',
	),
	count(
		'executionSeconds',
		EXECUTION_SECONDS,
		'When an execution in queue mode counts as lost, and its events are handed over again; set it above what the workflow takes',
	),
];

const failureChoices: INodeProperties[] = [
	count(
		'pauseSeconds',
		PAUSE_SECONDS,
		`How long to wait after the first failed try; each further pause is twice as long, up to ${PAUSE_SECONDS_MAX} seconds`,
	),
	count(
		'tries',
		1,
		`How often events are handed over while the workflow fails, at most ${TRIES_MAX}; failed executions can also be retried by hand`,
	),
	{
		displayName: labels.whenTriesFail,
		name: 'whenTriesFail',
		type: 'options',
		options: [
			{
				name: 'Continue',
				value: 'continue',
				description: 'The events count as delivered; the failed execution stands in the list',
			},
			{
				name: 'Send to Failed Events',
				value: 'failedEvents',
				description: 'The events leave through a second output, with the reason, and count as delivered',
			},
			{
				name: 'Stop Here Until It Succeeds',
				value: 'stop',
				description: 'Later events wait; the same ones are tried again and again, at the longest pause',
			},
		] satisfies { name: string; value: Afterwards; description: string }[],
		default: 'continue',
		description: 'What becomes of events for which the workflow failed as often as Tries per Event says',
	},
];

function count(name: Name, otherwise: number, description: string): INodeProperties {
	return {
		displayName: labels[name],
		name,
		type: 'number',
		typeOptions: { minValue: 1 },
		default: otherwise,
		description,
	};
}

/** `workflowSeconds` is the execution timeout in the settings of the workflow. */
export function readDelivery(options: Record<string, unknown>, workflowSeconds: unknown): DeliveryParameters {
	const isOn = (name: Name, otherwise: boolean): boolean =>
		options[name] === undefined ? otherwise : readSwitch(options[name], { field: name, label: labels[name] });
	const counted = (name: Name, otherwise: number, max?: number): number =>
		options[name] === undefined ? otherwise : countOf(name, labels[name], options[name], max);
	const eventsPerSecond = options['eventsPerSecond'] === undefined ? undefined : counted('eventsPerSecond', 0);
	return {
		deliverMissed: isOn('deliverMissed', true),
		notices: isOn('connectionNotices', false),
		batchMax: Math.min(
			counted('eventsPerExecution', EVENTS_PER_EXECUTION, EVENTS_PER_EXECUTION_MAX),
			eventsPerSecond ?? EVENTS_PER_EXECUTION_MAX,
		),
		eventsPerSecond,
		executionMsMax: 1_000 * counted('executionSeconds', secondsAllowed(workflowSeconds)),
		failure: {
			tries: counted('tries', 1, TRIES_MAX),
			pauseSeconds: counted('pauseSeconds', PAUSE_SECONDS, PAUSE_SECONDS_MAX),
			afterwards: choiceOf(options['whenTriesFail']),
		},
	};
}

/** The timeout set for the workflow takes precedence when it is longer than the default. */
function secondsAllowed(given: unknown): number {
	const own = Number.isSafeInteger(given) && Number(given) > 0 ? Number(given) : 0;
	return own === 0 ? EXECUTION_SECONDS : Math.max(EXECUTION_SECONDS, own + TIMEOUT_GRACE_SECONDS);
}

function choiceOf(given: unknown): Afterwards {
	const found = given === undefined ? 'continue' : afterwards.find((each) => each === given);
	if (found) return found;
	throw new ExchangeError('invalid_input', {
		field: 'whenTriesFail',
		what: `${labels.whenTriesFail} must be one of ${afterwards.join(', ')}`,
	});
}
