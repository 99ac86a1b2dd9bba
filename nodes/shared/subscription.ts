import { ExchangeError, type Consumer, type EventFilters, type StreamNotice } from '@partner-exchange/core';
import { exactTopics, orderStatuses, topics, type TopicId } from '@partner-exchange/core/catalogue';
import type { INodeProperties, INodePropertyOptions, ITriggerFunctions } from 'n8n-workflow';
import { isGiven, listIn } from './parameters';
import { choicesOf } from './property';

const EVENTS_PER_EXECUTION = 100;
const TRIES_MAX = 5;
/** Workflows that wait longer use a Wait node, which ends the execution as the trigger sees it. */
const EXECUTION_SECONDS = 300;
/** What n8n needs to end an execution that exceeded the time its workflow allows. */
const TIMEOUT_GRACE_SECONDS = 30;

const perPair = (Object.keys(topics) as TopicId[]).filter((topic) => topics[topic].perPair);

/** What to listen to, which of it passes, and how it is handed over. */
export const subscriptionForm = (): INodeProperties[] => [
	{
		displayName: 'Trigger On',
		name: 'topics',
		type: 'multiOptions',
		required: true,
		options: topicChoices(),
		default: ['user.fills'],
		description: 'What to listen to; all triggers of one account share one connection',
	},
	{
		displayName: 'Pair Names or IDs',
		name: 'pairs',
		type: 'multiOptions',
		// Always there: what the events are may be an expression, which nobody can read in advance.
		typeOptions: { loadOptionsMethod: 'loadPairs' },
		default: [],
		description:
			'Pairs whose public trades or order books to listen to; order updates and fills need none. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	},
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add Filter',
		default: {},
		options: filterChoices(),
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: deliveryChoices(),
	},
];

const topicChoices = (): INodePropertyOptions[] =>
	(Object.keys(topics) as TopicId[]).map((value) => ({
		name: topics[value].label,
		value,
		description: topics[value].help,
	}));

const filterChoices = (): INodeProperties[] => [
	{
		displayName: 'Minimum Quantity',
		name: 'min_quantity',
		type: 'string',
		default: '',
		placeholder: 'e.g. 1000.00',
		description: 'Only events of at least this quantity',
	},
	{
		displayName: 'Pair',
		name: 'pair_id',
		type: 'string',
		default: '',
		placeholder: 'e.g. USD/NGN',
		description: 'Only events of this pair; several are separated by commas',
	},
	{
		displayName: 'Side',
		name: 'side',
		type: 'options',
		options: choicesOf(['buy', 'sell']),
		default: 'buy',
		description: 'Only events of this side',
	},
	{
		displayName: 'Status',
		name: 'status',
		type: 'multiOptions',
		options: choicesOf(Object.keys(orderStatuses)),
		default: [],
		description: 'Only order updates with one of these statuses',
	},
];

const deliveryChoices = (): INodeProperties[] => [...contentChoices(), ...executionChoices()];

const contentChoices = (): INodeProperties[] => [
	{
		displayName: 'Deliver Missed Events',
		name: 'deliverMissed',
		type: 'boolean',
		default: true,
		description: 'Whether to deliver what happened while the workflow was not running',
	},
	{
		displayName: 'Emit Connection Notices',
		name: 'connectionNotices',
		type: 'boolean',
		default: false,
		description:
			'Whether to start the workflow also when the connection changes or a gap is found, with the topic "connection"',
	},
];

const executionChoices = (): INodeProperties[] => [
	{
		displayName: 'Events per Execution',
		name: 'eventsPerExecution',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: EVENTS_PER_EXECUTION,
		description:
			'How many events that arrived while the workflow was busy go into one execution; 1 gives each event its own',
	},
	{
		displayName: 'Longest Execution (Seconds)',
		name: 'executionSeconds',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: EXECUTION_SECONDS,
		description:
			'When an execution in queue mode counts as lost, and its events are handed over again; set it above what the workflow takes',
	},
	{
		displayName: 'Tries per Event',
		name: 'tries',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1,
		description:
			'How often events are handed over while the workflow fails; failed executions can also be retried by hand',
	},
];

/** What the form of a trigger asks for. */
export interface TriggerParameters extends Required<
	Pick<Consumer, 'topics' | 'deliverMissed' | 'filters' | 'batchMax'>
> {
	notices: boolean;
	tries: number;
	executionMsMax: number;
}

export function readSubscription(
	host: Pick<ITriggerFunctions, 'getNodeParameter' | 'getWorkflowSettings'>,
): TriggerParameters {
	const filters = host.getNodeParameter('filters', {}) as Record<string, unknown>;
	const options = host.getNodeParameter('options', {}) as Record<string, unknown>;
	const chosen = host.getNodeParameter('topics', []) as TopicId[];
	const pairs = listIn(host.getNodeParameter('pairs', []));
	if (chosen.length === 0) throw invalid('topics', 'No events are chosen', 'Choose at least one kind of event');
	if (pairs.length === 0 && chosen.some((topic) => perPair.includes(topic))) {
		throw invalid('pairs', 'No pair is chosen for public trades or order books', 'Choose a pair such as USD/NGN');
	}
	return {
		topics: exactTopics(chosen, pairs),
		deliverMissed: options.deliverMissed !== false,
		filters: filtersIn(filters),
		batchMax: wholeNumber(options.eventsPerExecution, EVENTS_PER_EXECUTION),
		notices: options.connectionNotices === true,
		tries: Math.min(wholeNumber(options.tries, 1), TRIES_MAX),
		executionMsMax: 1_000 * wholeNumber(options.executionSeconds, secondsAllowed(host)),
	};
}

/** A workflow that says how long it may take has said it. */
function secondsAllowed(host: Pick<ITriggerFunctions, 'getWorkflowSettings'>): number {
	const own = wholeNumber(host.getWorkflowSettings().executionTimeout, 0);
	return own === 0 ? EXECUTION_SECONDS : Math.max(EXECUTION_SECONDS, own + TIMEOUT_GRACE_SECONDS);
}

function filtersIn({ status, side, pair_id: pair, min_quantity: minimum }: Record<string, unknown>): EventFilters {
	return {
		...(listIn(status).length > 0 ? { statuses: listIn(status) } : {}),
		...(side ? { sides: [String(side)] } : {}),
		...(listIn(pair).length > 0 ? { pairs: listIn(pair) } : {}),
		...(isGiven(minimum) ? { minQuantity: minimum as string } : {}),
	};
}

const invalid = (field: string, what: string, advice: string): ExchangeError =>
	new ExchangeError('invalid_input', { field, what, advice });

const wholeNumber = (given: unknown, otherwise: number): number =>
	Number.isSafeInteger(given) && Number(given) > 0 ? Number(given) : otherwise;

/** A notice as an item: shaped like an event, under a topic no event has. */
export const noticeItem = (notice: StreamNotice, ts: string) => ({
	json: { topic: 'connection', seq: null, epoch: null, ts, data: { ...notice }, delivery: 'live', eventKey: null },
});
